// Names that others gave, of files, folders, cases, and sentences with them.

// All that acts and is not seen, but for the joiners that letters and pictures need, and halves of characters.
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A name in one line in which nothing is hidden: what turns text round, or moves it, is written as \u202e. */
export function visibleName(name) {
  return name.replace(UNSEEN, (sign) => {
    const code = sign.codePointAt(0);
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
