"""German."""

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

GERMAN = AnswerLanguage(
    code="de",
    name="German",
    wording=LanguageWording(
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
        next_question=r"frage(?:\s+\d+)?|aussage(?:\s+\d+)?|aufgabe(?:\s+\d+)?",
        answer_fields=("antwort", "lösung"),
        other_fields=("auswahl", "urteil", "buchstabe"),
        refusal=r"""\b(?:das\s+)?(?:kann|wei(?:ß|ss))\s+ich\s+(?:nicht|es\s+nicht)|\bich\s+(?:kann|wei(?:ß|ss))\s+(?:das\s+|es\s+|diese\s+\w+\s+)?nicht
          |\btut\s+mir\s+leid|\bleider\s+kann\b|\bkeine\s+ahnung""",
        correction=r"""\bnein,?\s+(?:moment|halt|warte)\b|(?:^|[.…;!?\n]\s{0,9})(?:moment|halt|warte)[,.!:…]
          |(?:^|[.…,;!?\n—–-]\s{0,9})nein[,.:!]*\s+(?=(?:doch\s+|sondern\s+|es\s+ist\s+|richtig\s+ist\s+|die\s+antwort\s+ist\s+)?<SAID>)
          |\b(?:ach|[äa]h|hm+),?\s+nein\b|\b(?:quatsch|bl[öo]dsinn|unsinn)[,.!:]+\s+(?:nein[,.!]\s+)?(?=<SAID>)|\bkorrektur\b|\bich\s+korrigiere\b|\bbesser\s+gesagt\b|\bvielmehr\b""",
        denial=r"""\bnicht\b|\bkeine?[rnms]?\b|\bnie(?:mals)?\b|\bfalsche?[rnms]?\b|\bweder\b|\bnoch\b|\baußer\b|\bzuerst\b|\berst\s+dachte\b|\banfangs\b
          |\bman\s+k(?:ö|oe)nnte\b|\bmanche\b|\bk(?:ö|oe)nnte\b""",
        condition=r"\b(?:sonst|andernfalls|wenn|falls|ob|angenommen|h[äa]ngt|kommt\s+darauf)\b",
        unreal=r"\bw(?:ä|ae)re\b",
        forced=r"\bwenn\s+ich\s+(?:w(?:ä|ae)hlen|raten|mich\s+entscheiden)\s+m(?:ü|ue)sste\b,?",
        taken_back=r"(?:ist|sind|war)\s+(?:\w+\s+){0,3}(?:nicht|falsch|inkorrekt)|sei\b|scheidet\s+aus|kommt\s+nicht",
        conclusion=r"\b(?:daher|somit|folglich|also|deshalb|damit|aber|jedoch|bleibt)\b",
        final=r"\b(?:endg[üu]ltige?|abschlie(?:ß|ss)end|fazit|zusammenfassend)\b",
    ),
    true_false=TrueFalse(
        affirms=r"(?:jo|jep|jawohl|genau(?:\s+so\s+ist\s+es)?|trifft\s+zu|klar|nat[üu]rlich|auf\s+jeden\s+fall|absolut|stimmt)\b(?!\s+(?:nicht|ist|wie|wenn))(?=\s*[.,!]|\s*$)",
        denies=r"(?:(?:genau\s+)?umgekehrt|im\s+gegenteil|trifft\s+nicht\s+zu|weit\s+gefehlt|nee|nö|stimmt\s+nicht|auf\s+keinen\s+fall|keineswegs|nat[üu]rlich\s+nicht|nicht\s+ganz|quatsch|unsinn)\b",
        partial=r"\b(?:teil|h[äa]lfte|halb|teilweise|manchmal)\b",
        true=("wahr", "ja", "richtig", "korrekt", "zutreffend"),
        false=("falsch", "nein", "unwahr", "inkorrekt", "unrichtig", "unzutreffend"),
        true_alone=("w", "stimmt"),
        false_alone=("stimmt nicht",),
        negations=r"(?:nicht|nichts|alles\s+andere\s+als)(?:\s+(?:wirklich|immer))?",
        holds=r"\b(?:das|dies|es|aussage|behauptung|satz)\s+(?:stimmt|trifft\s+zu|gilt)(?=\s*(?:[.,;!:]|$))",
        fails=r"\b(?:das|dies|es|aussage|behauptung|satz)\s+(?:stimmt\s+(?:so\s+)?nicht|trifft\s+nicht\s+zu|gilt\s+nicht)\b",
        joiners=r"\boder\b|\bund\b|\bnoch\b",
        because=r"\bweil\b|\bdenn\b|\bda\b",
        clause_starts="weil|denn|da|und|dass",
        label=r"(?:die\s+)?(?:endg[üu]ltige\s+|richtige\s+)?(?:antwort|l[öo]sung|urteil)(?:\s+(?:ist|lautet))?",
        says=(
            r"\b(?:Antwort|Aussage|Behauptung|Satz|L[öo]sung|Urteil)\s{0,3}(?:(?:ist|lautet|w[äa]re|:|=)"
            r"\s{0,3}){1,2}(?:(?:daher|somit|also|damit|eindeutig)\s+)?<VALUE><STOP>",
            r"\b(?:das|es|dies)\s+ist\s+(?:also\s+|daher\s+|somit\s+|eindeutig\s+)?<VALUE><STOP>",
            r"\b(?:daher|somit|also|damit|folglich)\s+ist\s+(?:die\s+)?(?:Aussage|Antwort|Behauptung|das|es|sie)\s+<VALUE><STOP>",
            r"\bich\s+(?:w[üu]rde\s+sagen|sage|denke|glaube|tippe\s+auf)[\s:,]{1,3}(?:es\s+ist\s+)?<VALUE><STOP>",
        ),
    ),
    choices=Choices(
        nouns="antwort(?:en|m[öo]glichkeit)?|l[öo]sung|option|wahl|auswahl|buchstabe|alternative",
        copulas="ist|lautet|wäre|sei",
        aside=r"im Gegensatz zu|anders als",
        joins="und|oder|bzw|beziehungsweise|bis|noch|sowie|als auch",
        because="weil|da|denn",
        predicates="ist|sind|weil|da|und|oder|denn|noch|als|nicht|sondern|war|wäre|scheidet|bleibt|trifft|richtig|korrekt|falsch|wählen|kommt",
        adverbials="wegen|aufgrund|bei|laut|hier|ebenfalls|auch|sei|nein|beschreibt|korrekt|nehmen|an|in|zu|die|zutreffend",
        this_is_right=r"\b(?:das|dies)\s+ist\s+(?:(?:also|daher|somit|folglich)\s+)?die\s+(?:richtige|korrekte|gesuchte)\s+(?:Antwort|Option|L[öo]sung|Wahl)\b",
        this_is_wrong=r"\b(?:das|dies)\s+ist\s+(?:(?:also|daher|somit|folglich)\s+)?die\s+(?:falsche|unzutreffende)\s+(?:Aussage|Behauptung|Option)\b",
        says=(
            r"\b(?:<N>)\b\s{0,3}(?:(?:ist|lautet|w[äa]re|:|=|→)\s{0,3}){1,2}(?:(?:daher|somit|also|damit)\s+)?(?:die\s+|der\s+)?(?:(?:<N>)\s+)?\"?<A>",
            r"\b(?:ich|wir)\s+(?:w[äa]hlen?|nehmen?|sagen?|antworten?|tippe\s+auf|entscheide\s+mich\s+f[üu]r)\s+(?:(?:die\s+)?(?:<N>)\s+)?<A>",
            r"\bich\s+(?:denke|glaube|meine|w[üu]rde\s+sagen)[,:]?\s+(?:dass\s+)?(?:es\s+(?:ist\s+)?)?(?:(?:<N>)\s+)?<M><STOP>",
            r"\b(?:ich|wir)\s+w[üu]rden?\s+(?:(?:die\s+)?(?:<N>)\s+)?<M>\s+(?:w[äa]hlen|nehmen|sagen|ankreuzen)",
            r"<A>\s*ist\s+(?:(?:daher|somit|also|damit)\s+)?die\s+(?:einzig\s+|einzige\s+)?(?:richtige|korrekte|beste|passende|gesuchte)?\s*(?:Antwort"
            r"|Option|L[öo]sung|Wahl|Aussage)\b",
            r"\bist\s+(?:(?:<N>)\s+)?<M>\s+die\s+(?:richtige|korrekte|beste|passende|gesuchte|zutreffende)\s+(?:Antwort|Option|L[öo]sung|Wahl|Aussage)\b",
            r"^[\s>#-]{0,6}(?:vermutlich|wahrscheinlich|wohl|sicher|eindeutig)[,:]?\s+(?:(?:<N>)\s+)?<A><STOP>",
            r"\bantwort\s+<M><STOP>|\bzu\s+w[äa]hlen\s+ist\s+<M>",
            r"\b(?:passt|stimmt|bleibt)\s+(?:hier\s+)?nur\s+(?:<N>\s+)?<M>",
            r"\b(?:richtig|korrekt)\s+(?:ist|w[äa]re)\s+(?:(?:daher|somit|also|die|der|<N>)\s+){0,3}<A>",
            r"\b(?:es|das)\s+ist\s+(?:also\s+)?(?:(?:<N>)\s+)?<M>",
            r"\b(?:also|daher|somit|folglich|damit|bleibt|doch|sondern)[,:]?\s+(?:(?:ist|bleibt|nur|noch|die|<N>)\s+){0,3}<A><STOP>",
        ),
        holds=(
            r"\btrifft\s+(?:(?:<N>)\s+)?<M>\s+zu\b",
            r"<M>\s*(?:ist\s+)?(?:(?:daher|somit|also|damit)\s+)?(?:richtig|korrekt|wahr|zutreffend)\b",
            r"\b(?:daher|somit|also|damit)\s+ist\s+(?:(?:die\s+)?(?:<N>)\s+)?<M>\s+(?:richtig|korrekt)\b",
        ),
        first_of=(r"<M>\s*[,;–—-]?\s*(?:und\s+|aber\s+)?(?:nicht|statt|anstelle\s+von|anstatt)\s+<M>",),
        second_of=(r"\bnicht\s+(?:(?:<N>)\s+)?<M>\s*,?\s*sondern\s+(?:(?:<N>)\s+)?<M>",),
    ),
    commitment=Commitment(
        discussed=r"\b(?:vergleich\w*|nun|jetzt|n[äa]chste\w*)\b|^\W*(?:im(?!\s+going)|in|bei|f[üu]r|mit)\b|\b(?:betrachte[nt]?|schauen|sehen\s+wir|untersuchen|pr[üu]fen|beginnen|[üu]ber|bez[üu]glich|verglichen\s+mit|wie)\b",
        asks=r"(?:ist|sind|k[öo]nnte|w[äa]re|was|welche[rs]?|warum|wie|wer|ob)\b",
        certain=r"nat[üu]rlich|klar|sicher|eindeutig|vermutlich|wahrscheinlich|wohl|nehmen|sein|[üu]brig|gefragt|gesucht|gemeint|an|denke\s+ich|glaube\s+ich|halt|doch",
        praises=r"passt\b|trifft\s+(?:(?:daher|somit|also|folglich|damit|hier)\s+)?zu|stimmt\b|gilt\b|gewinnt\b|ist\s+es\b|ergibt\s+(?:am\s+meisten\s+)?Sinn|(?:scheint|klingt|wirkt)\s+(?:am\s+)?\w+"
        r"|ist\s+(?:hier\s+)?(?:gemeint|gesucht|gefragt)",
        other_nouns=r"\b(?:(?<!lock\s)(?<!locking\s)in|von|aus|zwischen|kern|prozess(?:or)?|programm|schritt|register|leitung|signal|zustand|knoten|rechner|variable|teil)\s+$",
        singles=r"\bnur\s+(?:die\s+|der\s+|das\s+)?$",
        others_view=r"\bwelche[rs]?\s+(?:der|von)\b|\bk[öo]nnte\s+(?:man\s+)?(?:meinen|denken|sagen)\b",
        rules_out=r"\bausschlie(?:ß|ss)en\b|\bausgeschlossen\b|\bscheide[nt]\b|\bkeine\s+der\b|\bweder\b|\bnicht\b|\bfalsch\b|\bf[äa]llt\s+(?:aus|weg)\b|\bfallen\s+(?:aus|weg)\b",
    ),
    places=Places(
        ordinals=(
            "erste[nrs]?|1\\.",
            "zweite[nrs]?|2\\.",
            "dritte[nrs]?|3\\.",
            "vierte[nrs]?|4\\.",
            "f[üu]nfte[nrs]?|5\\.",
        ),
        numbers=("eins|1", "zwei|2", "drei|3", "vier|4", "f[üu]nf|5"),
        last_place="letzte[nrs]?|unterste[nrs]?",
        last_but_one="(?:vor|zweit)letzte[nrs]?",
        nouns="option|antwort(?:m[öo]glichkeit)?|m[öo]glichkeit|wahl|auswahl|alternative|variante",
        articles="die|der|das|den",
        number_nouns="(?:option|antwort)\\s+(?:nummer|nr\\.?)|option|nummer|nr\\.",
        none_phrases=r"^\W*keine[rs]?(?=\W*$)|\bkeine[rs]?\s+(?:der\s+(?:genannten|obigen|anderen|antworten|optionen|aussagen)(?:\s+\w+)?|davon|von\s+(?:ihnen|diesen|allen))\b",
        all_phrases=r"\balle\s+(?:der\s+)?(?:genannten|obigen|antworten|drei|vier)\b|\balle\s+davon\b",
    ),
    short_text=ShortText(
        state_verbs=r"\b(?:ist|sind|war|w[äa]re|hei(?:ß|ss)t|nennt\s+man|betr[äa]gt|ergibt|ergeben|macht|lautet|geh[öo]rt|also|somit|daher|doch|hat|dauert|sondern)\b",
        calls=r"(?:ist|war|hei(?:ß|ss)t|lautet)\b",
        partial_phrases=r"\b(?:jede[rs]?|mindestens|h[öo]chstens|mehr\s+als|weniger\s+als|fr[üu]her|bezweifle)\b",
        hedges=r"(?:der|die|das|den|eine?|vermutlich|wohl|wahrscheinlich|etwa|ungef[äa]hr|circa|ca\.|rund|genau|doch|ich\s+(?:glaube|denke)|macht|also)\b",
        tails=r"\b(?:glaube\s+ich|denke\s+ich|gro(?:ß|ss)|lang|insgesamt)",
        contrasts=r"\bsondern",
        alternative=r"\b(?:oder|entweder)\b",
        articles=r"(?:der|die|das|de[mns]|eine?[mnrs]?)\s+",
        lead=r"(?:(?:die\s+)?(?:richtige\s+|endg[üu]ltige\s+)?(?:(?:end)?antwort|lösung|ergebnis)(?:\s+(?:ist|lautet)\b|\s*:)\s*:?|es\s+ist\b)",
        list_joins=("und",),
        punctuation="„“‚‘",
    ),
    numbers=Numbers(
        number_words={
            **number_values(
                "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn"
                " sechzehn siebzehn achtzehn neunzehn"
            ),
            **number_values("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", first_value=20, step=10),
            **{"einhalb": 0.5, "einund": 1, "einhundert": 100, "hundert": 100, "eintausend": 1000, "tausend": 1000},
        },
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
        asks_in=r"\bin\b|\bwie\s+viele\b",
    ),
)
