"""English."""

from __future__ import annotations

from benchwright_judges.languages.language import (
    AnswerLanguage,
    Choices,
    Discourse,
    Numbers,
    ShortText,
    TrueFalse,
    Wording,
)

ENGLISH = AnswerLanguage(
    code="en",
    wording=Wording(
        system="You are an expert in computer science and hardware design who takes an examination.",
        choose="One choice is right. Reply with its letter alone.",
        decide="Is this statement right? Reply with True or False alone.",
        fill="Reply with what belongs into the blank, and nothing else.",
        explain="Answer in a few clear sentences.",
        think="First think it through step by step. Then end with one line that begins with `{marker}` and holds only"
        " the answer.",
        marker="Answer:",
        true="True",
        false="False",
    ),
    discourse=Discourse(
        answer_fields=("finalanswer", "answer", "correctanswer", "correctoption", "selectedoption"),
        refusal=r"""\b(?:I|we)\s+(?:can(?:not|'t|\s+not)|could(?:\s+not|n't)|am\s+(?:unable|not\s+able)|won't
              |will\s+not|do(?:\s+not|n't)\s+know|have\s+no\s+idea|refuse|must\s+decline|decline)
          |\bI'm\s+(?:sorry|unable|not\s+able|not\s+sure|afraid)|\bas\s+an?\s+(?:AI|language\s+model)
          |\b(?:insufficient|not\s+enough)\s+information|\bno\s+idea\b|\bdunno\b""",
        correction=r"""\bno,?\s+wait\b
          |(?:^|[.,;!?\n—–]\s*)(?:but\s+|hmm,?\s+)?wait(?=\s*[,.!…—–-]|\s+(?:no|actually|let)\b)
          |(?:^|[.;!?\n—–]\s*)(?:no,?\s+)?actually\b|\bcorrection\b|\bscratch\s+that\b|\bon\s+second\s+thoughts?\b
          |\bI\s+mean(?:t)?\b|\bmy\s+mistake\b|\bsorry,|\blet\s+me\s+(?:correct|reconsider|re-?check)\b""",
        denial=r"""\bnot\b|n't\b|\bnever\b|\bneither\b|\bnor\b|\bexcept\b|\b(?:anything|all)\s+but\b|\brather\s+than\b
          |\binstead\s+of\b|\b(?:wrong|incorrect|false|worst|tempting|eliminated?|ruled?\s+out|exclude[sd]?)\b
          |\b(?:some|many|people|students|others|they|you)\s+(?:\w+\s+)?(?:say|think|might|may|would|could|believe)""",
        condition=r"\b(?:if|whether|suppose|supposing|assume|assuming|unless|had)\b",
        unreal=r"\bwould\b|'d\b",
        taken_back=r"""(?:is|was|are|seems|would\s+be)\s+(?:also\s+)?(?:not|wrong|incorrect|false|impossible|out)
          |isn't|can't|cannot|can\s+be\s+(?:ruled|eliminated|excluded)""",
        conclusion=r"""\bfinal(?:ly)?\b|\btherefore\b|\bthus\b|\bhence\b|\bconsequently\b
          |\b(?:in|my)\s+conclusion\b|\bconclude\b|\bso\b|\boverall\b|\bto\s+sum\s+up\b""",
    ),
    true_false=TrueFalse(
        true=("true", "yes", "correct", "right"),
        false=("false", "no", "incorrect", "wrong"),
        true_alone=("t",),
        false_alone=("f",),
        negations=("not", "never"),
        negations_alone=("not",),
        either=r"\bor\b|\band\b",
        because=r"\bbecause\b|\bsince\b",
        clause_starts="because|since|as|for|in|under|by|when|only|given|and|but",
        label=r"(?:final\s+)?answer",
        says=(
            r"\b(?:answer|response|verdict|statement|assertion|claim|proposition|sentence)[\s*_`\"]{0,4}"
            r"(?:above\s+|given\s+|here\s+)?(?:(?:is|would\s+be|must\s+be|should\s+be|:|=|->|→)[\s*_`]{0,4}){1,2}"
            r"(?:(?:therefore|thus|clearly|in\s+fact|actually|indeed|considered|definitely)\s+)?<NOT><VALUE><STOP>",
            r"\b(?:it|this|that)(?:\s+is|'s)\s+(?:clearly\s+|therefore\s+)?<NOT><VALUE><STOP>",
            r"\b(?:it|this|that)\s+(?:is)(?P<not_before>n't)\s+<VALUE><STOP>",
        ),
    ),
    choices=Choices(
        label=r"(?:(?:my|the)\s+)?(?:final\s+)?(?:answer|option|choice|letter)",
        option_nouns=("option", "answer", "choice"),
        either=r"either|both",
        joins=r"\bor\b|\band\b|,\s*or|,\s*and",
        also=r",\s*(?:or|and)|\b(?:or|and)\b",
        because=r"because\b|since\b|as\b",
        because_first=r",?\s+(?:because|since|as)\b",
        predicates="and|or|is|are|was|would|has|because|since|as|due|which|where|when|but|so|not|by|while|if|then|with",
        adverbials="for|in|on|here|too|based|given|that|rather|instead|although|though|however|according|from|per"
        "|at|under|must|seems|looks|appears|can|could|will",
        own_sentence=r"\s+(?:is|was|has|does|would|can|could|says|because)\b",
        dismissal=r"wrong|incorrect|false",
        dismissal_later=r"\b(?:is|are|was)\s+(?:also\s+|clearly\s+)?(?:not|wrong|incorrect|false|out|ruled)\b"
        r"|:\s*(?:wrong|incorrect|false|no)\b",
        says=(
            r"\b(?:answer|choice|option|letter|solution|response|selection)\b(?:\s+(?:to|for)\s+(?:this|the)(?:\s+\w+)?"
            r"\s+question)?[\s*_`\"]{0,4}(?:(?:is|would\s+be|should\s+be|must\s+be|will\s+be|has\s+to\s+be|:|=|->|→)"
            r"[\s*_`]{0,4}){1,2}(?:(?:clearly|indeed|option|choice|letter|answer)\s+)?<LETTER>",
            r"\banswer\s+<CAPITAL>",
            r"\b(?:I|we)(?:'d|'ll|\s+would|\s+will|\s+am|'m)?(?:\s+(?:therefore|thus|then|have\s+to))?\s+(?:choose|chose"
            r"|pick(?:ed)?|select(?:ed)?|go(?:ing)?\s+(?:with|for)|say|answer|vote\s+for)\s+(?:(?:the\s+)?(?:option"
            r"|answer|choice|letter)\s+)?<CAPITAL>",
            r"<FIRST>\s+is\s+(?:therefore\s+|thus\s+|clearly\s+|definitely\s+)?(?:the\s+)?(?:only\s+)?(?:correct|right"
            r"|best|most\s+\w+)\s+(?:answer|choice|option|one|response|letter)\b",
            r"<FIRST>\s+is\s+(?:therefore\s+|thus\s+|clearly\s+)?(?:the|my)\s+(?:final\s+)?answer\b",
            r"\b(?:both|either)\s+<CAPITAL>",
            r"<FIRST>\s+(?:is|must\s+be|has\s+to\s+be)\s+(?:therefore\s+|clearly\s+|the\s+)?(?:correct|right|true)\b",
            r"\b(?:it|this|that)(?:\s+(?:is|must\s+be|should\s+be|would\s+be|has\s+to\s+be)|'s|'d\s+be)\s+(?:(?:option"
            r"|choice|answer|clearly|actually|probably|definitely)\s+){0,2}<CAPITAL>",
            r"\b(?:so|therefore|thus|hence|then|making\s+it|go\s+with|choose|pick|select)[,:]?\s+(?:(?:it\s+is|it's"
            r"|option|choice|answer)\s+)?<CAPITAL><STOP>",
            r"^[\s>#*_`-]{0,6}(?:option|choice)\s+<CAPITAL><STOP>",
        ),
    ),
    short_text=ShortText(
        articles=r"(?:an?|the)\s+",
        lead=r"(?:the\s+)?(?:final\s+|correct\s+)?answer(?:\s+is\b|\s*:)\s*:?",
        list_joins=("and",),
        punctuation="“”‘’",
    ),
    numbers=Numbers(
        byte_words=("Byte", "byte", "Bytes", "bytes"),
        bit_words=("Bit", "bit", "Bits", "bits"),
        unit_words={
            **dict.fromkeys(("sec", "second", "seconds"), "s"),
            **dict.fromkeys(("minute", "minutes"), "min"),
            **dict.fromkeys(("hour", "hours"), "h"),
            "percent": "%",
        },
        prefixed_units={"bit": "b", "byte": "B", "second": "s", "hertz": "Hz", "watt": "W"},
        unit_plurals=("s",),
        per=("per",),
        seconds=("sec", "second"),
        seconds_behind_slash=("sec", "second"),
        asks_in=r"\bin\b",
    ),
)
