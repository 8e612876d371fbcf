"""The review page: a workspace -> what a browser shows of it, and what people say there -> lines of the journal.

`app` has one table of questions (`reading`) that pages ask; each is answered by a plain function from a `Subject` and the
question's parameters to JSON, which `one_file` asks as well. Only `app`, `guard`, `live` and `server` know of the web. Everything
that an agent wrote is data here and text nodes there; nothing is written but the journal and the feedback files made of it.
"""
