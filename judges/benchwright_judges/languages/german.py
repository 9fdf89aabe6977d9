"""German."""

from __future__ import annotations

from benchwright_judges.languages.language import AnswerLanguage, AnswerWords, LanguageWording

GERMAN = AnswerLanguage(
    code="de",
    name="German",
    comma_is_decimal=True,
    wording=LanguageWording(
        system="Sie sind Fachkraft für Informatik und Hardware-Entwurf und legen eine Prüfung ab.",
        choose="Genau eine Möglichkeit ist richtig. X ist ihr Buchstabe.",
        choose_several="Eine oder mehrere Möglichkeiten sind richtig. X sind die Buchstaben aller richtigen, etwa AC.",
        decide="Ist diese Aussage richtig? X ist Wahr oder Falsch.",
        fill="X ist das, was in die Lücke gehört: nur die Wörter oder die Zahl mit ihrer Einheit.",
        explain="Antworten Sie klar in wenigen Sätzen.",
        answer="Antworten Sie mit einer einzigen Zeile: `{line}`.",
        steps_request="Denken Sie zuerst Schritt für Schritt nach. Beenden Sie die Antwort dann mit dieser"
        " Zeile: `{line}`.",
        true="Wahr",
        false="Falsch",
    ),
    words=AnswerWords(
        answer_labels=r"(?:die |meine )?(?:endgültige |richtige |korrekte )?(?:antworten|antwort|lösung)"
        r"(?: ist| lautet)?",
        sentences=(
            r"(?:also|somit|daher|damit)?,? ?(?:die |meine )?(?:endgültige |richtige |korrekte )*"
            r"(?:antwort|option|lösung) (?:ist|lautet)(?: also| somit| daher| damit)?:? <X>",
            r"(?:also|somit|daher|damit) (?:ist|lautet) die (?:richtige |korrekte )?(?:antwort|option|lösung):? <X>",
            r"(?:also|somit|daher|damit)?,? ?(?:die|diese) (?:aussage|behauptung) ist"
            r"(?: also| somit| daher| damit)? <X>",
            r"(?:also|somit|daher|damit) ist (?:die|diese) (?:aussage|behauptung) <X>",
            r"<X> ist die (?:richtige|korrekte) (?:antwort|option|lösung)",
        ),
        picks=r"(?:wähle|nehme|entscheide mich für) (?:option |antwort )?<X>",
        nouns=r"(?:die )?(?:antworten|antwort|optionen|option|möglichkeit|buchstabe)",
        true=r"wahr|richtig|korrekt",
        false=r"falsch|unwahr|inkorrekt",
        negations=r"\b(?:nicht|keine?[nrms]?|nie|weder|kaum)\b",
        doubts=r"\b(?:nein|moment|doch|eigentlich|aber|jedoch|sondern|statt|stattdessen|korrektur|sorry|entschuldigung"
        r"|fehler|vielleicht|wohl|vermutlich|wahrscheinlich|unsicher|geraten|meinte|quatsch|scherz|hm+|beide|obwohl|bzw|nur|teilweise|halt|nee)\b",
        conditions=r"\b(?:wenn|falls|wäre|würde|könnte|angenommen)\b",
        refusal=r"\bich weiß (?:es|das) nicht\b|\bweiß ich nicht\b|\b(?:kann|könnte) (?:ich )?"
        r"(?:das |die frage |diese frage |es )?(?:leider )?nicht (?:beantworten|sagen|entscheiden|bestimmen)"
        r"|\bkeine ahnung\b|\btut mir leid\b",
        questions=r"(?:frage|aufgabe|aussage) ?\d*",
        fields=r"antwort|lösung|option",
        articles=r"(?:der|die|das|den|dem|ein|eine|einen|einem|einer)\s+",
        joins=r"und",
        asks_in=r"\bin\b|\bwie\s+viele?\b",
    ),
    units={
        "s": "sek|sekunde|sekunden",
        "min": "minute|minuten",
        "h": "stunde|stunden",
        "x": "mal|-fach|fach",
        "set": "satz|sätze",
        "line": "zeile|zeilen|block|blöcke",
        "way": "weg|wege",
        "entry": "eintrag|einträge",
        "word": "wort|wörter|worte",
        "page": "seite|seiten",
        "frame": "rahmen|kachel|kacheln",
        "cycle": "takt|takte|taktzyklus|taktzyklen|zyklus|zyklen",
        "instruction": "befehl|befehle|instruktion|instruktionen",
        "stage": "stufe|stufen",
        "%": "prozent",
    },
)
