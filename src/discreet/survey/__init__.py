"""Survey: ask people. From a question to estimates with honest intervals.

>>> from discreet.survey import Question
>>> q = Question("smokes", ["never", "sometimes", "daily"], missing="no answer")
>>> plan = q.plan(epsilon=1, margin="0.02")
>>> box = q.collector(plan.mechanism)
>>> box.add(q.client(plan.mechanism).report("daily"))
>>> box.estimate().n
1
"""

from discreet.survey import pages as _pages  # noqa: F401  It says how the results are drawn.
from discreet.survey.clients import Client
from discreet.survey.collectors import Collector, Tally
from discreet.survey.crosstabs import Crosstab
from discreet.survey.decoding import TextEstimate
from discreet.survey.estimates import Difference, Estimate, Share, simplex
from discreet.survey.forms import Form
from discreet.survey.memory import Memory
from discreet.survey.misfit import Misfit
from discreet.survey.oracles import Oracle, oracle_of
from discreet.survey.pairs import PairCollector
from discreet.survey.paper import Paper
from discreet.survey.plans import Option, Plan, plan
from discreet.survey.poisoning import influence
from discreet.survey.polls import Poll
from discreet.survey.questions import Question
from discreet.survey.reports import Report
from discreet.survey.respondents import SurveyClient
from discreet.survey.responses import Response
from discreet.survey.shuffling import Shuffled
from discreet.survey.surveys import Boxes, Estimates, Survey
from discreet.survey.texts import TextClient, TextForm, TextQuestion
from discreet.survey.trigger import from_trigger_rate
from discreet.survey.waves import Waves, WavesEstimate
from discreet.survey.wording import Asking, Wording

__all__ = [
    "Asking",
    "Boxes",
    "Client",
    "Collector",
    "Crosstab",
    "Difference",
    "Estimate",
    "Estimates",
    "Form",
    "Memory",
    "Misfit",
    "Option",
    "Oracle",
    "PairCollector",
    "Paper",
    "Plan",
    "Poll",
    "Question",
    "Report",
    "Response",
    "Share",
    "Shuffled",
    "Survey",
    "SurveyClient",
    "Tally",
    "TextClient",
    "TextEstimate",
    "TextForm",
    "TextQuestion",
    "Waves",
    "WavesEstimate",
    "Wording",
    "from_trigger_rate",
    "influence",
    "oracle_of",
    "plan",
    "simplex",
]
