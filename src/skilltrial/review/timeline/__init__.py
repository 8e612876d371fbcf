"""A trial's transcript as steps.

`lines` reads the file once and remembers where each event stands, `calls` says what tool calls are about, `steps` answers
the questions of the page. Never more than one event of the file is held at a time.
"""
