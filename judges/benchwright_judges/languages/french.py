"""French."""

from __future__ import annotations

from benchwright_judges.languages.language import (
    AnswerLanguage,
    Choices,
    Commitment,
    Discourse,
    Numbers,
    Places,
    ShortText,
    TrueFalse,
    Wording,
)

FRENCH = AnswerLanguage(
    code="fr",
    wording=Wording(
        system="Vous êtes spécialiste d'informatique et de conception de circuits, et vous passez un examen.",
        choose="Une seule proposition est juste. Répondez par sa lettre seule.",
        decide="Cette affirmation est-elle juste ? Répondez seulement par Vrai ou Faux.",
        fill="Répondez par ce qui doit remplir le blanc, et rien d'autre.",
        explain="Répondez clairement en quelques phrases.",
        think="Réfléchissez d'abord étape par étape. Terminez par une ligne qui commence par « {marker} » et ne"
        " contient que la réponse.",
        marker="Réponse :",
        true="Vrai",
        false="Faux",
    ),
    discourse=Discourse(
        next_question=r"question(?:\s+\d+)?|[ée]nonc[ée](?:\s+\d+)?|affirmation(?:\s+\d+)?",
        answer_fields=("réponse", "reponse", "solution"),
        other_fields=("choix", "verdict", "lettre"),
        refusal=r"\bje\s+ne\s+(?:peux|sais|suis)\s+pas|\bd[ée]sol[ée]|\bimpossible\s+de\s+(?:r[ée]pondre|dire|trancher)",
        correction=r"""\bnon,?\s+attende[zs]\b|\bnon,?\s+attends\b|\ben\s+fait\b|\bje\s+me\s+corrige\b|\bcorrection\b|\bpardon\b|\bje\s+me\s+suis\s+tromp[ée]e?\b
          |(?:^|[.…,;!?\n—–-]\s{0,9})non[,.:!]*\s+(?=(?:plut[ôo]t\s+|c'est\s+|la\s+r[ée]ponse\s+est\s+)?<SAID>)""",
        denial=r"""\bn'(?:est|es|était)\b|\bne\b|\bpas\b|\bjamais\b|\bfausse?\b|\bincorrecte?s?\b|\bsauf\b|\bni\b|\baucune?\b|\bd'abord\b
          |\bon\s+pourrait\b|\bcertains\b|\bpourrait\b""",
        condition=r"\b(?:si|supposons|d[ée]pend)\b|\bs'il\b",
        unreal=r"\bserait\b",
        forced=r"\bne\s+(?=reste\s+(?:plus\s+)?que\b)|\bn'(?=y\s+a\s+(?:plus\s+)?que\b)|\bsi\s+je\s+devais\s+(?:choisir|deviner)\b,?",
        taken_back=r"(?:est|sont|serait|était)\s+(?:\w+\s+)?(?:faux|fausses?|incorrecte?s?|erron)|n'est\s+pas|n'est\b|ne\s+(?:convient|peut)",
        conclusion=r"\bdonc\b|\bainsi\b|\bpar\s+cons[ée]quent\b|\bmais\b|\bcependant\b|\breste\b",
        final=r"\ben\s+conclusion\b|\b(?:finale?|finalement)\b|\ben\s+r[ée]sum[ée]\b",
    ),
    true_false=TrueFalse(
        affirms=r"(?:ouais|tout\s+[àa]\s+fait|absolument|exactement|bien\s+s[ûu]r|[ée]videmment|certainement)\b(?!\s+(?:pas|faux|vrai))(?=\s*[.,!]|\s*$)",
        denies=r"(?:nan|pas\s+du\s+tout|absolument\s+pas|bien\s+s[ûu]r\s+que\s+non|pas\s+vraiment|pas\s+tout\s+[àa]\s+fait)\b",
        partial=r"\b(?:partie|moiti[ée]|partiellement|parfois)\b",
        true=("vrai", "vraie", "oui", "exact", "exacte", "correct", "correcte", "juste"),
        false=("faux", "fausse", "non", "inexact", "inexacte", "incorrect", "incorrecte", "erroné", "erronée"),
        true_alone=("v",),
        negations=r"pas(?:\s+toujours)?",
        either=r"\bou\b|\bet\b|\bni\b",
        because=r"\bcar\b|\bpuisque\b",
        clause_starts="car|parce|puisque|et|que|qu",
        label=r"(?:la\s+)?(?:bonne\s+)?r[ée]ponse(?:\s+finale)?(?:\s+est)?",
        says=(
            r"\b(?:r[ée]ponse|affirmation|assertion|proposition|[ée]nonc[ée]|phrase|d[ée]claration|verdict)(?:\s+(?:finale|correcte|juste))?\s{0,3}"
            r"(?:(?:n'est|est|serait|:|=)\s{0,3}){1,2}(?:donc\s+|en\s+fait\s+|bien\s+)?<VALUE><STOP>",
            r"\b(?:c'est|ce\s+n'est|il\s+est|elle\s+est)\s+(?:donc\s+|bien\s+)?<VALUE><STOP>",
            r"\bc'est\s+une?\s+(?:affirmation|assertion|proposition|phrase|[ée]nonc[ée])\s+<VALUE><STOP>",
            r"\bje\s+(?:dirais|dis|pense|crois)(?:\s+que\s+c'est|\s+que)?[\s:]{1,3}<VALUE><STOP>",
        ),
    ),
    choices=Choices(
        nouns="r[ée]ponses?|choix|option|solution|lettre|proposition",
        copulas="est|serait|soit|doit être",
        aside=r"contrairement à",
        joins="et|ou|ni|soit|ainsi que",
        because="car|puisque|parce",
        predicates="est|n'est|n'a|sont|car|et|ou|parce|puisque|mais|ni|pas|ne|soit|était|serait|convient|reste",
        adverbials="qui|pour|dans|donc|selon|ici|aussi|correct|correcte|incorrecte|faux|décrit|non|plutôt",
        says=(
            r"\b(?:<N>)(?:\s+(?:correcte?|exacte?|juste|finale))?\s{0,3}(?:(?:est|serait|doit\s+[êe]tre|:|=|→)\s{0,3}){1,2}"
            r"(?:donc\s+|alors\s+|bien\s+)?(?:(?:la|le)\s+|l')?(?:(?:<N>)\s+)?\"?<A>",
            r"\bje\s+(?:choisis|s[ée]lectionne|dirais|prends|r[ée]ponds|opte\s+pour)\s+(?:(?:la|le)\s+|l')?(?:(?:<N>)\s+)?<A>",
            r"\bje\s+(?:pense|crois)\s+que\s+(?:c'est|la\s+r[ée]ponse\s+est)\s+(?:(?:la|le)\s+|l')?(?:(?:<N>)\s+)?<A>",
            r"<A>\s*est\s+(?:donc\s+)?(?:la|l'|le)\s*(?:(?:bonne|meilleure|seule)\s*(?:r[ée]ponse|option|choix|proposition)?|r[ée]ponse)",
            r"\br[ée]ponse\s+<M><STOP>",
            r"\b(?:c'est|il\s+s'agit\s+de)\s+(?:donc\s+|plut[ôo]t\s+)?(?:(?:la|le)\s+|l')?(?:(?:<N>)\s+)?<M>",
            r"\b(?:donc|ainsi|reste|reste\s+que|plut[ôo]t|mais)[,:]?\s+(?:(?:la|le|que|c'est|<N>|est)\s+|l'){0,4}<A><STOP>",
        ),
        holds=(r"<M>\s*est\s+(?:donc\s+|bien\s+)?(?:correcte?|exacte?|vraie?|juste)\b",),
        first_of=(r"<M>\s*[,;–—-]?\s*(?:et\s+|mais\s+)?(?:pas|non|plut[ôo]t\s+que|au\s+lieu\s+de)\s+(?:pas\s+)?<M>",),
        second_of=(
            r"(?:\bn'est\s+pas|\bpas|\bnon)\s+(?:(?:la|le)\s+|l')?(?:(?:<N>)\s+)?<M>\s*,?\s*mais\s+(?:plut[ôo]t\s+)?(?:(?:la|le)\s+|l')?(?:(?:<N>)\s+)?<M>",
        ),
    ),
    commitment=Commitment(
        discussed=r"\b(?:compar\w+|maintenant|ensuite)\b|^\W*(?:dans|en|pour|avec)\b|\b(?:consid[ée]r\w+|examin\w+|regard\w+|analys\w+|commen[çc]\w+|concernant|[àa]\s+propos|comme)\b",
        asks=r"(?:est-ce|est|sont|serait|pourrait|quelle?s?|pourquoi|comment|qui|que)\b",
        certain=r"[ée]videmment|bien\s+s[ûu]r|certainement|s[ûu]rement|sans\s+doute|probablement|je\s+(?:crois|pense)|clairement|alors|sans\s+h[ée]siter",
        praises=r"convient\b|va\b|gagne\b|s'impose|(?:semble|para[îi]t)\s+(?:[êe]tre\s+)?(?:la\s+|le\s+)?(?:plus\s+\w+|meilleure?|bonne?|juste|correcte?|exacte?)|d[ée]crit\b|a\s+raison",
        named=r"\b(?:en|entre|c(?:œ|oe)ur|processus|processeur|programme|[ée]tape|registre|signal|[ée]tat|n(?:œ|oe)ud|machine|variable|partie)\s+$",
        singles=r"\bseule?\s+(?:la\s+|le\s+)?$",
        elsewhere=r"\bpourrait\s+(?:croire|penser|dire)\b",
        rules_out=r"\b[ée]limin\w+|\bexclu\w*|\b[ée]cart\w+|\baucune?\s+(?:de|des)\b|\bni\b|\bpas\b|\bfauss?e?s?\b|\bfaux\b",
    ),
    places=Places(
        ordinals=(
            "premi[èe]re?|1re|1[èe]re|1er",
            "deuxi[èe]me|seconde?|2e|2[èe]me",
            "troisi[èe]me|3e|3[èe]me",
            "quatri[èe]me|4e|4[èe]me",
            "cinqui[èe]me|5e|5[èe]me",
        ),
        numbers=("une?|1", "deux|2", "trois|3", "quatre|4", "cinq|5"),
        last="derni[èe]re?",
        nouns="options?|r[ée]ponse|choix|proposition|possibilit[ée]|solution|alternative",
        articles="la|le|l'",
        counted="(?:option|r[ée]ponse|choix|proposition)\\s+(?:num[ée]ro|n°)|option|choix|proposition|num[ée]ro",
        none=r"^\W*aucune?(?=\W*$)|\baucune?\s+(?:de\s+ces\s+(?:r[ée]ponses|propositions|options)|des\s+(?:r[ée]ponses|propositions|options)(?:\s+\w+)?|d'(?:elles|entre\s+elles)|de\s+celles-ci)",
        every=r"\btoutes\s+(?:ces\s+r[ée]ponses|les\s+(?:r[ée]ponses|propositions)|les\s+(?:trois|quatre))\b",
    ),
    short_text=ShortText(
        articles=r"(?:l['’]|(?:les?|la|une?|des|du|de\s+la)\s+)",
        lead=r"(?:(?:la\s+)?(?:bonne\s+)?(?:r[ée]ponse|solution)(?:\s+finale)?(?:\s+est\b|\s*:)\s*:?|c\'est\b)",
        list_joins=("et",),
        punctuation="«»",
    ),
    numbers=Numbers(
        comma_is_decimal=True,
        byte_words=("octet", "octets"),
        byte_symbols=("o",),
        unit_words={
            **dict.fromkeys(("seconde", "secondes"), "s"),
            **dict.fromkeys(("minute", "minutes"), "min"),
            **dict.fromkeys(("heure", "heures"), "h"),
            "pourcent": "%",
        },
        prefixed_units={"octet": "B", "seconde": "s"},
        unit_plurals=("s",),
        per=("par",),
        seconds=("seconde",),
        asks_in=r"\ben\b",
    ),
)
