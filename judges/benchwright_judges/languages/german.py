"""German."""

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

GERMAN = AnswerLanguage(
    code="de",
    wording=Wording(
        system="Sie sind Fachkraft für Informatik und Hardware-Entwurf und legen eine Prüfung ab.",
        choose="Genau eine Antwort ist richtig. Antworten Sie nur mit ihrem Buchstaben.",
        decide="Stimmt diese Aussage? Antworten Sie nur mit Wahr oder Falsch.",
        fill="Antworten Sie nur mit dem, was in die Lücke gehört.",
        explain="Antworten Sie klar in wenigen Sätzen.",
        think="Überlegen Sie zuerst Schritt für Schritt. Schließen Sie mit einer Zeile, die mit „{marker}“ beginnt und"
        " nur die Antwort enthält.",
        marker="Antwort:",
        true="Wahr",
        false="Falsch",
    ),
    discourse=Discourse(
        answer_fields=("antwort", "lösung"),
        refusal=r"\b(?:kann|wei(?:ß|ss))\s+(?:\w+\s+){0,4}nicht|\btut\s+mir\s+leid|\bkeine\s+Ahnung",
        correction=r"\bnein,?\s+warte\b|\bmoment\s?mal\b|\bKorrektur\b|\bbesser\s+gesagt\b",
        denial=r"\bnicht\b|\bkeine?[rnms]?\b|\bnie\b|\bfalsche?[rnms]?\b|\bweder\b|\bnoch\b|\baußer\b",
        condition=r"\b(?:wenn|falls|ob|angenommen)\b",
        unreal=r"\bw(?:ä|ae)re\b",
        taken_back=r"ist\s+(?:nicht|falsch|inkorrekt)",
        conclusion=r"\b(?:daher|somit|folglich|also|deshalb|damit|endg[üu]ltige?|abschlie(?:ß|ss)end)\b",
    ),
    true_false=TrueFalse(
        true=("wahr", "ja", "richtig", "korrekt"),
        false=("falsch", "nein", "unwahr", "inkorrekt", "unrichtig"),
        true_alone=("w",),
        negations=("nicht",),
        negations_alone=("nicht",),
        either=r"\boder\b|\bund\b",
        because=r"\bweil\b|\bdenn\b",
        clause_starts="weil|denn|da|und",
        label=r"antwort",
        says=(
            r"\b(?:Antwort|Aussage|Behauptung|Satz|L[öo]sung)[\s*_`\"]{0,4}(?:(?:ist|lautet|w[äa]re|:|=)"
            r"[\s*_`]{0,4}){1,2}(?:daher\s+|somit\s+|also\s+)?<NOT><VALUE><STOP>",
            r"\b(?:das|es|dies)\s+ist\s+<NOT><VALUE><STOP>",
            r"\b(?:das|die\s+Aussage)\s+(?P<true>stimmt)(?:\s+(?P<not_before>nicht))?\b",
        ),
    ),
    choices=Choices(
        label=r"antwort|lösung",
        option_nouns=("antwort",),
        either=r"entweder",
        joins=r"\bund\b|\boder\b",
        also=r",\s*(?:und|oder)|\b(?:und|oder)\b",
        because=r"weil\b|da\b|denn\b",
        because_first=r",?\s+(?:weil|denn|da)\b",
        predicates="ist|weil|da|und|oder|denn",
        adverbials="wegen|aufgrund|bei|laut|hier",
        own_sentence=r"\s+ist\b",
        dismissal=r"falsch",
        dismissal_later=r":\s*falsch\b|\bist\s+(?:falsch|nicht)",
        says=(
            r"\b(?:Antwort|L[öo]sung|Option|Wahl|Auswahl|Antwortm[öo]glichkeit)[\s*_`]{0,4}(?:(?:ist|lautet|w[äa]re"
            r"|:|=)[\s*_`]{0,4}){1,2}(?:(?:daher|somit|also)\s+)?(?:die\s+)?(?:(?:Option|Antwort|Buchstabe)\s+)?"
            r"<LETTER>",
            r"\b(?:ich|wir)\s+(?:w[äa]hlen?|nehmen?|sagen?|tippe\s+auf|entscheide\s+mich\s+f[üu]r)\s+(?:(?:die\s+)?"
            r"(?:Option|Antwort)\s+)?<CAPITAL>",
            r"<FIRST>\s+ist\s+(?:daher\s+|somit\s+|also\s+)?die\s+(?:einzig\s+)?(?:richtige|korrekte|beste)\s+(?:Antwort"
            r"|Option|L[öo]sung|Wahl|Aussage)\b",
            r"\bAntwort\s+<CAPITAL><STOP>",
            r"<FIRST>\s+ist\s+(?:daher\s+|somit\s+|also\s+)?(?:richtig|korrekt|wahr)\b",
            r"\b(?:richtig|korrekt)\s+ist\s+(?:(?:Option|Antwort)\s+)?<CAPITAL>",
            r"\b(?:es|das)\s+ist\s+(?:(?:Option|Antwort)\s+)?<CAPITAL>",
            r"\b(?:also|daher|somit|folglich)[,:]?\s+(?:(?:Option|Antwort)\s+)?<CAPITAL><STOP>",
        ),
    ),
    short_text=ShortText(
        articles=r"(?:der|die|das|de[mns]|eine?[mnrs]?)\s+",
        lead=r"(?:die\s+)?(?:richtige\s+)?antwort(?:\s+(?:ist|lautet)\b|\s*:)\s*:?",
        list_joins=("und",),
        punctuation="„“‚‘",
    ),
    numbers=Numbers(
        comma_is_decimal=True,
        unit_words={
            **dict.fromkeys(("Sekunde", "Sekunden"), "s"),
            **dict.fromkeys(("Minute", "Minuten"), "min"),
            **dict.fromkeys(("Stunde", "Stunden"), "h"),
            "Prozent": "%",
        },
        prefixed_units={"sekunde": "s"},
        unit_plurals=("n",),
        per=("pro",),
        seconds=("sekunde",),
        asks_in=r"\bin\b",
    ),
)
