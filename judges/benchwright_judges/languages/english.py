"""English."""

from __future__ import annotations

from benchwright_judges.languages.language import (
    AnswerLanguage,
    Choices,
    Commitment,
    Discourse,
    LanguageWording,
    Numbers,
    Places,
    ShortText,
    TrueFalse,
    number_values,
)

ENGLISH = AnswerLanguage(
    code="en",
    name="English",
    wording=LanguageWording(
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
        next_question=r"question(?:\s+\d+)?|q(?:\d+)?|statement(?:\s+\d+)?|problem(?:\s+\d+)?",
        answer_fields=("answers?", "ans"),
        tags=("final", "choice", "option", "solution", "blank", "verdict"),
        other_fields=(
            "choice",
            "blank",
            "option",
            "letter",
            "selection",
            "selected",
            "verdict",
            "(?:judgment|judgement)",
            "truth",
            "value",
            "response",
            "result",
            "prediction",
            "is_?true",
            "is_?correct",
        ),
        refusal=r"""\b(?:I|we)\s+(?:can(?:not|'t|\s+not)|could(?:\s+not|n't)|am\s+(?:unable|not\s+able)|won't
              |will\s+not|do(?:\s+not|n't)\s+know|have\s+no\s+idea|refuse|must\s+decline|decline)
          |\bI'm\s+(?:sorry|unable|not\s+able|not\s+sure|afraid)|\bas\s+an?\s+(?:AI|language\s+model)
          |\b(?:insufficient|not\s+enough)\s+information|\bno\s+idea\b|\bdunno\b""",
        correction=r"""\bno,?\s+wait\b|(?:^|[.…,;!?\n—–-]\s{0,9})no,?\s+(?=(?:I(?:'ll|'m|\s+am|\s+will)?\s+)?(?:stay|stick|chang)\w*\s)|\bhm+,?\s+no\b|\boops\b|(?:^|[.…,;!?\n—–-]\s{0,9})no[,.:!]*\s+(?=(?:rather|(?:it'?s|it\s+is|the\s+answer\s+is)\s+)?<SAID>)
          |(?:^|[.…,;!?\n—–]\s{0,9})(?:but\s+|hmm,?\s+|oh,?\s+)?wait(?=\s*[,.:!…—–-]|\s+(?:no|actually|let)\b)
          |(?:^|[.…;!?\n—–]\s{0,9})(?:(?:no|hm+|oh|well|but|or|and)[,.]*\s+)*actually\b|\bcorrection\b|\bscratch\s+that\b|\bon\s+second\s+thoughts?\b
          |^[^\w\n]{0,8}edit\s?:|\bI\s+misread\b|\bI\s+mean(?:t)?\b|\bmy\s+mistake\b|\bsorry,|\blet\s+me\s+(?:correct|reconsider|re-?think)\b|\bthen\s+again\b""",
        denial=r"""\bdoubt\b|\bothers\s+as\b|\bhardly\b|\bunlikely\b:?|\bleast\b|\bwas\s+told\b|\bclaims\b|\b(?:can)?not\b|n't\b|\bnever\b|\bneither\b|\bnor\b|\bnone\b|\bexcept\b|\b(?:anything|all)\s+but\b|\brather\s+than\b
          |\binstead\s+of\b|\bunlike\b|\b(?:wrong|incorrect|false|worst|tempting|eliminated?|ruled?\s+out|exclude[sd]?)\b
          |\b(?:first|initially|originally)\b|\bat\s+first\b|\b(?:could|may|might)\s+(?:also\s+)?be\b
          |\b(?:some|many|people|students|others|they|you|one)\s+(?:\w+\s+)?(?:say|think|might|may|would|could|believe|choose|call|consider|label|mark|regard)
          |\b(?:some|many|others)\s+(?:\w+\s+)?\Z""",
        condition=r"\botherwise\b|\b(?:if|whether|suppose|supposing|assume|assuming|unless|had|when|consider|depends)\b",
        unreal=r"\bwould\b|'d\b",
        forced=r"\bif\s+(?:I|we)\s+(?:had|have|has|must|were\s+forced)\s*(?:to\s+)?(?:choose|pick|guess|answer|decide)\b(?:\s+one)?,?",
        taken_back=r"""(?:is|was|are|were|seems|would\s+be|looks)\s+(?:\w+ly\s+)?(?:also\s+|both\s+|all\s+)?(?:not\b|wrong|incorrect|false|impossible|out\b|tempting)
          |isn't|aren't|is\s+(?:just\s+)?an?\s+(?:trap|trick|distractor)|can't|cannot|can\s+be\s+(?:ruled|eliminated|excluded)""",
        conclusion=r"""\btherefore\b|\bthus\b|\bhence\b|\bconsequently\b|\bconclude\b|\bso\b|\bmust\b|\bhowever\b|\boverall\b|\bbut\b""",
        final=r"""\bfinal(?:ly)?\b|\b(?:in|my)\s+conclusion\b|\bto\s+sum\s+up\b|\bin\s+summary\b""",
    ),
    true_false=TrueFalse(
        affirms=r"yes\s+(?:it|they)\s+\w+(?=\W*\Z)|indeed(?=\s+it\b|\.\s+\w)|agreed?(?=\s*[.!])|(?:yep|yeah|yup|yea)\b(?!\s+no\b)|(?:absolutely|definitely|exactly|totally|spot\s+on|of\s+course|certainly)(?=\s*[.,!]|\s*$)|(?-i:T)(?=[,.:]\s)",
        denies=r"(?:(?:strongly|completely)\s+)?disagree(?=\s*[.,!])|no\s+(?:it|they)\s+(?:\w+n't|\w+\s+not|cannot)(?=\W*\Z)|(?:nope|far\s+from\s+it|nah|not\s+(?:quite|really|exactly|at\s+all)|no\s+way|hardly|(?:absolutely|definitely|certainly|of\s+course)\s+not)\b|(?-i:F)(?=[,.:]\s)",
        turns=r"right,\s+(?=(?:so\s+)?let(?:'s|\s+us|\s+me)\b|now\b|first\b)",
        partial=r"\bwould\s+make\b|\b(?:parts?|half|partly|first|second|sometimes|one|latter|former)\b",
        true=("true", "yes", "correct", "right", "accurate", "valid", "ture"),
        false=("false", "no", "incorrect", "wrong", "inaccurate", "untrue", "invalid", "flase", "fasle"),
        true_alone=(
            "t",
            "y",
            "i agree",
            "agree",
            "agreed",
            "indeed",
            "it is",
            "i think so",
            "i believe so",
            "sure is",
            "it does",
            "indeed it does",
            "👍",
        ),
        false_alone=(
            "f",
            "n",
            "i disagree",
            "disagree",
            "it isn't",
            "it is not",
            "i don't think so",
            "i don't believe so",
            "it doesn't",
            "👎",
        ),
        negations=r"(?:can(?:not|'t|\s+not)\s+(?:call|consider|say)\s+(?:that|it|this)(?:\s+is)?|not|never|n't|far\s+from|nothing|anything\s+but)(?:\s+(?:really|actually|at\s+all|necessarily|always))?(?:\s+the)?",
        holds=r"\b(?:mark|rate|answer|choose|pick|select)\s+(?:(?:it|this|that)\s+)?(?:(?:as|with)\s+)?(?-i:T)(?=\s*(?:[.!]|$))|\bI(?:'d|\s+would|\s+fully|\s+do)?\s+agree\b(?!\s+(?:that|if|or))(?:\s+with\s+[^.,;\n]{0,40})?|\b(?:this|that|it)\s+is\s+(?:indeed\s+)?the\s+case\b|\b(?<!of\s)(?:statement|claim|assertion|this|that|it)\s+(?:indeed\s+|always\s+)?(?:holds?|stands)\b(?!\s+(?:for|if|only|when)\s+\w+\s+only)",
        fails=r"\b(?:mark|rate|answer|choose|pick|select)\s+(?:(?:it|this|that)\s+)?(?:(?:as|with)\s+)?(?-i:F)(?=\s*(?:[.!]|$))|\b(?:statement|claim|assertion)\s+fails(?=\s*(?:[.!]|$))|\b(?:it's|it\s+is|that's)\s+(?:exactly\s+)?(?:the\s+other\s+way\s+a?round|the\s+opposite|the\s+reverse)\b|\bI(?:'d|\s+would|\s+have\s+to)?\s+disagree\b(?!\s+(?:that|if|or))(?:\s+with\s+[^.,;\n]{0,40})?|\b(?:this|that|it)(?:'s|\s+is|\s+isn't|\s+is\s+not)\s+(?:(?:just\s+)?a\s+myth|nonsense)\b|\b(?:it|that|this)(?:\s+isn't|\s+is\s+not|'s\s+not)\s+the\s+case\b|\b(?:that|this|it)\s+can(?:'t|not)\s+be(?=\s*[.!])|\b(?:statement|claim|assertion|this|that|it)\s+(?:does\s+not|doesn't|fails\s+to)\s+(?:always\s+|generally\s+)?hold\b",
        joiners=r"\bor\b|\band\b|\bnor\b",
        because=r"\bbecause\b|\bsince\b|\bas\b",
        clause_starts=r"(?:to|for)\s+me|i\s+(?:think|guess)|because|since|as|for|in|under|by|when|only|given|and|but|that|here|overall|if|rather",
        label=r"(?:lol|well|oh|hm+|ok|so|um+)\b|(?:(?:the|my)\s+)?(?:final\s+|correct\s+)?(?:answer|ans|verdict|(?:judgment|judgement)|conclusion|response|evaluation|assessment|result)(?:\s+is)?",
        says=(
            r"\b(?:answer|ans|response|verdict|(?:judgment|judgement)|conclusion|statement|assertion|claim|proposition|sentence)"
            r"(?:\s+\"[^\"\n]{0,300}\"|\s+'[^'\n]{0,300}')?\s{0,3}"
            r"(?:(?:given\s+)?(?:above|given|here|in\s+question)\s+)?(?:(?:is|to\s+be|would\s+be|must\s+be|should\s+be|:|=|-|→)\s{0,3}){1,2}"
            r"(?:(?:therefore|thus|clearly|in\s+fact|actually|indeed|considered|definitely|simply|also|generally)\s+){0,2}"
            r"<VALUE><STOP>",
            r"\b(?:it|this|that)(?:\s+(?:is|must\s+be|has\s+to\s+be|would\s+be)|'s)\s+(?:(?:clearly|therefore|actually|indeed"
            r"|definitely|also|simply|in\s+fact)\s+)?<VALUE><STOP>",
            r"\b(?:it|this|that)\s+(?:statement|claim|assertion|sentence|one)?\s*(?:is|isn't)\s+(?:considered\s+)?<VALUE><STOP>",
            r"\b(?:I|we)(?:'d|\s+would|\s+will|'ll)?\s+(?:say|answer|choose|pick|go\s+with|guess|conclude|think|vote\s+for|believe|(?:lean|tend)\s+towards?)"
            r"(?:\s+(?:that\s+)?(?:it|this|that)(?:'s|\s+is))?[\s:,\"]{1,4}<VALUE><STOP>",
            r"\b(?:so|therefore|thus|hence)[,:]?\s+<VALUE><STOP>",
            r"<VALUE>\s+is\s+(?:my|the)\s+(?:final\s+|correct\s+)?answer\b",
            r"\b(?:is|'s)\s+an?\s+<VALUE>\s+(?:statement|claim|assertion)\b",
            r"\b(?:mark|rate|call|label|classify|consider)\s+(?:this|it|that|the)(?:\s+(?:one|statement|claim))?(?:\s+as)?\s+<VALUE><STOP>",
            r"(?:^|[.;!\n,]\s{0,3})(?:definitely|clearly|probably|certainly|yes,?|no,?|indeed,?)\s+<VALUE><STOP>",
        ),
    ),
    choices=Choices(
        nouns="answers?|ans(?:e|w)?er|anwser|awnser|ans|options?|choices?|letter|solution|response|result|selection|alternative|pick|guess|verdict|conclusion",
        copulas="is|was|be|are|would be|should be|must be|will be|has to be|remains|seems to be|appears to be",
        aside=r"unlike|in contrast to|compared (?:to|with)|as opposed to",
        short_nouns="ans|opt",
        joins="or|and|nor|to|through|and also|but also|as well as",
        because="because|since|as",
        predicates="and|or|is|are|was|would|has|because|since|as|due|which|where|when|but|so|not|by|while|if|then|with|it|nor|only"
        "|isn't|wasn't|doesn't|does|gets|seems|looks|fits|matches|stands|rather|instead|must|can't|cannot|though|although|here",
        adverbials="gives|mentions|the|for|over|in|on|too|based|given|that|however|according|from|per|at|under|appears|can|could|will|both|describes?|requires?"
        "|needs?|says?|fails?|also|alone|correct|right|should|may|might|states?|means?|satisf\\w+|corresponds?|works?|remains?|who|to",
        this_is_right=r"\b(?:this|that|it)(?:\s+is|'s)\s+(?:(?:therefore|thus|indeed|clearly|hence)\s+)?(?:the|our|my)\s+(?:answer\b|(?:correct|right)\s+(?:answer|option|choice|one)\b)",
        this_is_wrong=r"\b(?:this|that|it)(?:\s+(?:statement|one|option))?(?:\s+is|'s)\s+(?:(?:therefore|thus|indeed|clearly|hence)\s+)?the\s+(?:incorrect|wrong|false|erroneous|inaccurate)\s+(?:answer|option|choice|one|statement|description|claim)\b",
        says=(
            r"\b(?:<N>)\b(?:\s+(?:to|for)\s+(?:this|the)(?:\s+\w+)?\s+question|\s+(?:here|above|below|among|of|from)(?:\s+\w+){0,3})?"
            r"[\s\"]{0,3}(?:(?:is|was|would\s+be|should\s+be|must\s+(?:therefore\s+|thus\s+)?be|will\s+be|has\s+to\s+be|remains|seems\s+to\s+be|:|=|-|–|→)"
            r"\s{0,3}){1,2}(?:(?:clearly|indeed|most\s+likely|likely|probably|therefore|thus|definitely|actually|simply|only|just|the|<N>)\s+){0,3}"
            r"\"?<A>",
            r"\banswer\s+<M>",
            r"\b(?:correct|right|best)\s*(?:one|:)?\s*(?:is|:|=|→)\s*(?:(?:<N>)\s+)?<A>",
            r"\bone\s+(?:that|which)\s+\w+(?:\s+\w+){0,3}?\s+is\s+(?:(?:<N>)\s+)?<A><STOP>",
            r"\b(?:I|we)(?:'d|'ll|\s+would|\s+will|\s+am|'m|\s+can)?(?:\s+(?:therefore|thus|then|have\s+to|must|hereby))?\s+(?:choose|chose"
            r"|choosing|pick(?:ed|ing)?|select(?:ed|ing)?|go(?:ing)?\s+(?:with|for)|opt\s+for|answer|vote\s+for|settle\s+on)\s+(?:(?:the\s+)?(?:<N>)\s+)?\"?<A>",
            r"\b(?:I|we)(?:'d|'ll|\s+would|\s+will)?\s+(?:say|think|guess|believe|mean|suppose|reckon)\s+(?:that\s+)?(?:(?:it(?:'s|\s+is)|the)\s+)?(?:(?:<N>)"
            r"\s+)?<A><STOP>",
            r"<A>\s*(?:is|must\s+be|has\s+to\s+be|would\s+be)\s+(?:(?:therefore|thus|clearly|definitely|indeed)\s+)?(?:the|our|my)\s+"
            r"(?:(?:only|single|final|one|most)\s+)?(?:(?:correct|right|best|appropriate|true|suitable|accurate)\s+)?(?:answer|choice|option|pick|guess|bet|one\b"
            r"|response|letter|solution|statement)",
            r"<M>\s+is\s+(?:the\s+)?best\b|\blet's\s+(?:say|take|go\s+with)\s+<A><STOP>",
            r"<M>\s+(?:fits|matches|works)\s+best\b|<M>\s+it\s+is<STOP>",
            r"\b(?:it|this|that)(?:\s+(?:is|was|must\s+be|should\s+be|would\s+be|has\s+to\s+be)|'s|'d\s+be)\s+(?:(?:the|actually"
            r"|clearly|probably|definitely|therefore|then|rather|indeed|<N>)\s+){0,2}<M>",
            r"\b(?:so|therefore|thus|hence|then|making\s+it|leaves|leaving|remains|remaining|that\s+leaves|go\s+with|choose|pick|select)[,:]?\s+"
            r"(?:(?:it\s+is|it's|only|us\s+with|with|we\s+(?:choose|pick|select)|the|is|presumably|probably|(?:most\s+)?likely|<N>)\s+){0,3}<A><STOP>",
            r"\b(?:remains|left(?:\s+over)?)\s+is\s+(?:(?:<N>)\s+)?<A><STOP>|\bfinal\s*[:→-]\s*<A>",
            r"^\s*(?:since|because|as)\b[^,]*,\s*(?:it's\s+|it\s+is\s+)?<A><STOP>",
            r"^\s*(?:therefore|thus|hence|so)\b[^\ue100-\ue1ff]{0,80}<A>\s+is\s+the\s+\w+",
            r"\b(?:corresponds?\s+to|matching|which\s+(?:is|means|makes\s+it))\s+(?:the\s+)?(?:(?:<N>)\s+)?<M><STOP>",
            r"^[\s>#-]{0,6}(?:going\s+with|opting\s+for|final)\s+(?:<N>\s+)?<A>",
            r"^[\s>#-]{0,6}(?:definitely|probably|presumably|certainly|clearly|surely|obviously|correct|right|opt\s+for|selected?|rather|yes)"
            r"[,:]?\s+(?:(?:it's|it\s+is|<N>)\s+)?<A><STOP>",
            r"<M>\s+is\s+[^.,;:?!\n]{1,30}\s+and\s+(?:is\s+)?(?:(?:so|thus|therefore|hence)\s+)?(?:is\s+)?the\s+answer<STOP>",
            r"<M>\s+is\s+[^.,;:?!\n]{1,50},?\s+so\s+I(?:'d|'ll|\s+would|\s+will)?\s+(?:choose|pick|take|select|go\s+with)\s+(?:it|that|this)\b",
            r"→\s*(?:the\s+)?(?:<N>)\s+<A><STOP>|^\W{0,6}(?:<N>)\s+<M>,?\s+then<STOP>",
            r"\bconclude\s+that\s+<M>\s+is\s+(?:correct|right|true)",
        ),
        holds=(
            r"<A>\s*(?:is|must\s+be|has\s+to\s+be|seems|appears|looks)\s+(?:(?:to\s+be|therefore|clearly|indeed|definitely|thus|the)\s+)?"
            r"(?:correct|right|true|accurate|valid)\b(?!\s+(?:that|about|in\s+that|but))",
            r"\bonly\s+(?:<N>\s+)?<M>\s+(?:satisfies|meets|fulfil?ls|fits|matches|works|applies|remains)\b",
            r"<M>\s+(?:satisfies|meets|fulfil?ls|fits|matches)\s+(?:the|this|these|all|both|every)\b[^.,;]{0,20}"
            r"\b(?:requirements?|conditions?|criteri\w+|descriptions?|definitions?)\b",
            r"<M>\s+is\s+the\s+only\b",
            r"(?<!question\s)\b(?:is|that's)\s+(?:(?:exactly|precisely|just)\s+)?what\s+(?:(?:<N>)\s+)?<M>\s+(?:says|states|describes|gives|mentions)\b",
            r",\s+(?:(?:exactly|precisely|just)\s+)?as\s+(?:(?:<N>)\s+)?<M>\s+(?:says|states|describes)<STOP>",
            r"\b(?:that|it|this)(?:\s+(?:can\s+only|must|would|has\s+to)\s+be|'d\s+be)\s+(?:the\s+)?<A><STOP>",
            r"\bmakes\s+(?:<N>\s+)?<M>\s+the\s+(?:right|correct|best|most\s+(?:suitable|appropriate|accurate|complete|plausible|fitting|sensible|reasonable|likely(?!\s+to)))\b",
            r"\bremaining\s+(?:<N>),?\s+(?:is\s+)?<M>",
        ),
        first_of=(
            r"<M>\s*[,;–—-]?\s*(?:and\s+|but\s+)?(?:not|rather\s+than|instead\s+of|as\s+opposed\s+to)\s+(?:(?:<N>)\s+)?<M>",
        ),
        second_of=(
            r"\bnot\s+(?:(?:<N>)\s+)?<M>\s*,?\s*(?:but|rather)\s+(?:rather\s+)?(?:(?:<N>)\s+)?<M>",
            r"<M>\s+(?:is\s+not|isn't)\s+(?:correct|right|true)\s*[,;]\s*(?:but\s+)?<M>\s+is<STOP>",
        ),
    ),
    commitment=Commitment(
        discussed=r"\bunlikely:|\bas\s+for\b|\b(?:ask|ignor\w+|forget|skip|remove|explain|understand|delete|drop|friend|book|teacher|prof\w*|every(?:one|body)|some(?:one|body)|told|topic|anything)\b|^\W*(?:in(?!\s+(?:other\s+words|short|fact)\b)|at|for|with|under|by|given)\b|\b(?:consider|look(?:ing)?\s+at|let\s+us|let's|start(?:ing)?\s+with|begin(?:ning)?\s+with|analy[sz]e|examine|evaluate"
        r"|discuss|regarding|concerning|about|compar\w+|now|next|works?\s+like|just\s+like|as\s+in|called\s+an?|sure,\s+and|check|lies?\s+between)\b",
        asks=r"(?:is|are|was|were|could|would|should|can|does|do|did|might|what|which|why|how|who|whether|isn't)\b",
        certain=r"(?:to|for)\s+me\b|obviously|clearly|certainly|definitely|surely|probably|maybe|perhaps|for\s+sure|of\s+course|then|i\s+(?:think|guess|believe)|right"
        r"|all\s+the\s+way|no\s+doubt|hands\s+down|isn't\s+it|isnt\s+it|come\s+on|here|instead|only|all\s+day",
        praises=r"is\s+the\s+(?:textbook|standard|accepted)\s+(?:definition|answer)\b|[^.;\n]{0,80}\b(?:that'?s|it'?s)\s+(?:the|that)\s+one\b|wins?\b|are\s+(?:all\s+)?(?:correct|right|true)\b|can(?=\s*[.!])|fits?\b|works?\b|holds?\b|stands\s+out|applies|does(?:\s+(?:that|it|so))?(?=\s*[.,;!]|$)|it\s+is(?=\s*[.,!]|$)|is\s+(?:what|it)\b|is\s+the\s+one|is\s+my\s+\w+"
        r"|would\s+do\s+it|will\s+do\b|gets\s+my|has\s+my|makes\s+(?:the\s+most\s+|most\s+|more\s+)?sense|is\s+called\s+for"
        r"|(?:seems|looks|sounds|feels|appears)(?:\s+(?:like|to\s+be))?\s+(?:the\s+)?(?:best|right|correct|good|most\s+\w+|more\s+\w+|plausible|likely)",
        other_nouns=r"\b(?:(?<!lock\s)(?<!locking\s)in|of|from|into|than|via|through|between|over|than|against|vs\.?|grade|vitamin|hepatitis|(?:compiled|written)\s+with|core|cpu|node|process(?:or)?|thread|block|register|line|cache|bus|stage|state"
        r"|signal|input|output|bit|pin|port|gate|variable|matrix|table|point|case|step|program|language|instruction|machine|computer|host|client|server|user|set"
        r"|class|type|module|unit|fig(?:ure)?|appendix|section|chapter|load|store|add|plan|team)\s+$",
        singles=r"\bonly\s+(?:the\s+)?$|\beverything\s+(?:but|except)\s+$",
        others_view=r"\bwhich\s+of\b|\bbefore\s+(?:saying|choosing|picking|answering)\b|\bunlikely\b|^\W*(?:sure|right|yeah),\s+and\b|\b(?:might|could|would)\s+(?:think|say|assume)\b",
        rules_out=r"\brul(?:e|ed|ing)\s+out\b|\beliminat|\bnone\s+of\b|\bneither\b|\bexclud|\bdiscard|\bcross(?:ed)?\s+out\b|\b(?:is|are)\s+out\b"
        r"|\b(?:are|is)\s+(?:all\s+|both\s+)?(?:wrong|incorrect|false)\b|\b(?:not|n't)\b|^[^.]{0,12}[-–—:]\s*no\b",
    ),
    places=Places(
        ordinals=("first|1st|top(?:most)?", "second|2nd", "third|3rd", "fourth|4th", "fifth|5th", "sixth|6th"),
        numbers=("one|1", "two|2", "three|3", "four|4", "five|5", "six|6"),
        last_place=r"(?<!to )(?<!to-)(?<!to the )(?<!but )last|bottom(?:most)?",
        last_but_one=r"(?:second|next)(?:\s+|-)to(?:\s+|-)(?:the\s+)?last|last\s+but\s+one|penultimate",
        nouns="options?|choices?|one|alternative|possibility|answer(?:\\s+(?:option|choice))?|item(?:\\s+in\\s+the\\s+list)?|candidate|letter|entry",
        articles="the|number",
        number_nouns="(?:options?|choice|answer)\\s+(?:number|no\\.?|\\#)|option|choice|number",
        none_phrases=r"^\W*none(?=\W*$)|\bnone\s+of\s+(?:the\s+(?:above|others?|three|other\s+\w+|options|choices|answers)|them|these|those)(?:\s+(?:options|choices|answers))?\b",
        all_phrases=r"\ball\s+of\s+(?:the\s+above|them|these|those)\b|\ball\s+(?:three|four|five)(?:\s+of\s+(?:them|these))?\b"
        r"|\beach\s+of\s+(?:them|these)\b|\bevery\s+one\s+of\s+(?:them|these)\b",
    ),
    short_text=ShortText(
        state_verbs=r"\b(?:is|are|was|be|being|equals?|called|named|termed|known\s+as|with|takes?|has|have|gives?|makes?|yields?|totals?"
        r"|(?:comes?|amounts?)\s+(?:out\s+)?(?:at|to)|results?\s+in|get|so|thus|therefore|hence|answer|that's|thats|it's|its|i\.e\.,?|after|say|but)(?!\w)",
        calls=r"(?:is|was|be|called|named|known|it's|that's|answer)\b",
        partial_phrases=r"\b(?:each|every|at\s+(?:least|most)|more\s+than|less\s+than|smaller|larger|used\s+to|predecessor|superset|doubt|thought)\b",
        hedges=r"(?:an?|the|probably|maybe|perhaps|likely|most\s+likely|about|around|roughly|approximately|approx\.|exactly|i\s+(?:think|guess|believe|would\s+say)"
        r"(?:\s+it(?:'s|\s+is))?|it(?:'s|\s+is)|that(?:'s|\s+is)|should\s+be|must\s+be|would\s+be|called|hm+|ok|well|just|simply)\b",
        tails=r"\b(?:i\s+(?:think|guess|believe)|in\s+total|altogether|large|long|big|overall|or\s+so|right|probably)",
        contrasts=r"(?<!anything\s)(?<!nothing\s)(?<!all\s)\bbut(?:\s+rather)?",
        alternative=r"\b(?:or|either)\b",
        articles=r"(?:an?|the)\s+",
        lead=r"(?:(?:(?:the|my)\s+)?(?:final\s+|correct\s+)?(?:answer|ans|solution|result|blank)(?:\s+is\b|\s*[:=])\s*:?|(?:so\s+)?it\s+is\b|it\'s\b)",
        list_joins=("and",),
        punctuation="“”‘’",
    ),
    numbers=Numbers(
        number_words={
            **number_values(
                "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
                " seventeen eighteen nineteen"
            ),
            **number_values("twenty thirty forty fifty sixty seventy eighty ninety", first_value=20, step=10),
            **{"hundred": 100, "thousand": 1000, "million": 10**6},
        },
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
        asks_in=r"\bin\b|\bhow\s+many\b",
    ),
)
