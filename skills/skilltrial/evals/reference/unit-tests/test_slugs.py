import unittest

from slugs import slug


class SlugTest(unittest.TestCase):
    def test_words_are_joined(self):
        self.assertEqual(slug("Two Words"), "two-words")

    def test_an_empty_title_stays_empty(self):
        self.assertEqual(slug(""), "")
