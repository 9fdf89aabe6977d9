"""English."""

from __future__ import annotations

from benchwright_judges.languages.language import AnswerLanguage, AnswerWords, LanguageWording

ENGLISH = AnswerLanguage(
    code="en",
    name="English",
    wording=LanguageWording(
        system="You are an expert in computer science and hardware design who takes an examination.",
        choose="Exactly one option is right. X is its letter.",
        choose_several="One or more options are right. X is the letters of all of them, such as AC.",
        decide="Is this statement right? X is True or False.",
        fill="X is what fills the blank: the words alone, or the number with its unit.",
        explain="Answer in a few clear sentences.",
        answer="Reply with one line and nothing else: `{line}`.",
        steps_request="First think step by step. Then end your reply with this line: `{line}`.",
        true="True",
        false="False",
    ),
    words=AnswerWords(
        answer_labels=r"(?:the |my )?(?:final |correct |right )?(?:answer|answers|ans)(?: is| are)?",
        sentences=(
            r"(?:so|thus|hence|therefore|then)?,? ?(?:the|my) (?:final |correct |right |best )*(?:answer|option|choice)"
            r" (?:is|must be|has to be):? (?:thus |therefore |clearly )?<X>",
            r"(?:so|thus|hence|therefore)?,? ?(?:the|this) (?:statement|claim|assertion) is <X>",
            r"(?:so|thus|hence|therefore)?,? ?<X> is the (?:correct|right|best) (?:answer|option|choice)",
        ),
        picks=r"(?:choose|pick|select|go(?:ing)? with|opt for) (?:option |answer )?<X>",
        nouns=r"(?:the )?(?:options?|choices?|answers?|letters?)",
        true=r"true|t|correct|right",
        false=r"false|f|incorrect|wrong",
        negations=r"\b(?:not|never|none|neither|nor|cannot|hardly)\b|n't\b",
        doubts=r"\b(?:no|wait|actually|but|however|unless|correction|sorry|mistake|rather|instead|hmm+|unsure|doubt|guess"
        r"|guessing|maybe|perhaps|probably|ignore|scratch|kidding|joking|meant|both|either|although|oops|nope|except|only|partly|partially"
        r"|though|chang(?:e|ed|ing) (?:my|the|it|that))\b",
        conditions=r"\b(?:if|would|were|suppose|assuming)\b",
        refusal=r"\b(?:can(?:no|')t|unable to|won't|will not|refuse to|not able to) (?:answer|say|help"
        r"|determine|tell|decide|provide|comply|do)|\b(?:don't|do not) know\b|\bno idea\b|\bas an ai\b"
        r"|\bi(?:'m| am) sorry\b",
        questions=r"(?:question|q|problem|exercise|statement|user|human) ?\d*",
        fields=r"answer|final_answer|choice|option|answers",
        articles=r"(?:an?|the)\s+",
        joins=r"and",
        asks_in=r"\bin\b|\bhow\s+many\b",
    ),
    units={
        "B": "byte|bytes",
        "b": "bit|bits",
        "s": "sec|second|seconds",
        "min": "minute|minutes",
        "h": "hour|hours",
        "W": "watt|watts",
        "V": "volt|volts",
        "J": "joule|joules",
        "%": "percent|per cent",
        "x": "times|fold",
        "set": "set|sets",
        "line": "line|lines|block|blocks",
        "way": "way|ways",
        "entry": "entry|entries",
        "word": "word|words",
        "page": "page|pages",
        "frame": "frame|frames",
        "cycle": "cycle|cycles|clock cycle|clock cycles|clocks",
        "instruction": "instruction|instructions",
        "stage": "stage|stages",
        "Hz": "hertz",
    },
)
