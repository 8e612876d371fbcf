"""A scripted stand-in for the Anthropic and OpenAI model APIs, for testing agents without a model, a key or a network.

It listens on 127.0.0.1 only and answers from a scenario, so that a real agent runs its real tool loop. README.md beside
this file lists what a scenario may hold.
"""

from skilltrial.testing.mock_llm.request import Request
from skilltrial.testing.mock_llm.scenario import Scenario, ScenarioError
from skilltrial.testing.mock_llm.server import SCENARIOS, MockLLM
from skilltrial.testing.mock_llm.turn import Turn

__all__ = ["SCENARIOS", "MockLLM", "Request", "Scenario", "ScenarioError", "Turn"]
