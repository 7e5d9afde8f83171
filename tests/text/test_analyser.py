"""Words of many languages: what is one term, what is left out of queries, and which language a text is in."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.errors import InputError
from rulerank.text import Analyser, detect_language, highlight_terms, languages_of
from rulerank.text import analyser as analyser_module
from rulerank.text.languages import language_name, stemmer


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("en", "The running foxes, naïvely!", ["the", "run", "fox", "naïv"]),
        ("de", "Häuser und Straßen", ["haus", "und", "strass"]),
        ("fr", "L'avion décolle", ["l", "avion", "décoll"]),
        ("ru", "Собаки бежали", ["собак", "бежа"]),
        ("en", "snake_case ＦＵＬＬ x2", ["snake", "case", "full", "x2"]),
        ("ja", "東京は", ["東", "東京", "京", "京は", "は"]),
        ("zh", "我爱 NLP模型", ["我", "我爱", "爱", "nlp", "模", "模型", "型"]),
        ("th", "กา", ["ก", "กา", "า"]),
        ("ko", "안녕 세계", ["안녕", "세계"]),
        ("xx", "Running dogs", ["running", "dogs"]),
    ],
)
def test_terms(language, text, terms):
    analyser = Analyser((language,))
    assert analyser.terms(text) == terms
    assert [token.term for token in analyser.words(text)] == terms


def test_stop_words_leave_queries_but_not_texts():
    english = Analyser(("en",))
    assert english.query_terms("What is the lift of the wing's lift?") == ("lift", "wing")
    assert english.query_words("the lift of a lift") == ["lift", "lift"]
    assert english.query_terms("to be or not to be") == ("to", "be", "or", "not")  # nothing else
    assert "the" in english.terms("the wing")
    assert Analyser(("de",)).query_terms("der Hund und die Katze") == ("hund", "katz")
    assert Analyser(("en",), stopping=False).query_terms("the wing") == ("the", "wing")


def test_stems_only_where_there_is_one_language():
    assert Analyser(("en",), stemming=False).terms("running") == ["running"]
    assert Analyser(("en", "de")).terms("running") == ["running"]
    assert Analyser(("en", "de")).query_terms("the Hund und der dog") == ("hund", "dog")
    assert "Snowball" in Analyser(("en",)).label
    assert "no stems" in Analyser(("ja",)).label
    with pytest.raises(InputError, match="must be a tuple of codes"):
        Analyser("en")  # type: ignore[arg-type]


@given(st.text(max_size=60), st.sampled_from(["en", "de", "ja", "xx"]))
def test_terms_stand_where_they_say(text, language):
    tokens = list(Analyser((language,)).words(text))
    assert [token.term for token in tokens] == Analyser((language,)).terms(text)
    for token in tokens:
        assert 0 <= token.start < token.end <= len(text)
        assert token.term
    assert all(a.start <= b.start or a.end <= b.end for a, b in pairwise(tokens))


def test_chinese_and_japanese_do_not_collapse():
    text = "情報検索は大量の文書から必要なものを見つける技術である。" * 3
    terms = Analyser(("ja",)).terms(text)
    assert len(terms) > len(text)
    assert max(map(len, terms)) == 2


def test_highlights_in_another_language():
    german = Analyser(("de",))
    text = "Die Häuser am See; ein Haus."
    assert [text[a:b] for a, b in highlight_terms(text, "Haus", analyser=german)] == ["Häuser", "Haus"]
    japanese = Analyser(("ja",))
    text = "私は東京都に住む"
    assert [text[a:b] for a, b in highlight_terms(text, "東京", analyser=japanese)] == ["東京"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The boundary layer separates from the surface of the wing at high angles of attack.", "en"),
        ("Der schnelle braune Fuchs springt über den faulen Hund und läuft in den Wald hinein.", "de"),
        ("Le renard brun saute par-dessus le chien paresseux et court dans la forêt profonde.", "fr"),
        ("東京は日本の首都であり、世界最大級の都市です。", "ja"),
        ("北京是中华人民共和国的首都，是一座历史悠久的城市。", "zh"),
        ("12 34 -- 5", None),
        ("", None),
    ],
)
def test_languages_are_told(text, language):
    assert detect_language(text) == language


def test_short_texts_are_told_among_the_languages_of_their_collection():
    assert detect_language("ALGOL 60 Confidential", ["en"]) == "en"
    assert detect_language("Der Hund läuft weg", ["en", "de"]) == "de"
    assert detect_language("The dog runs away", ["en", "de"]) == "en"


def test_languages_of_a_collection():
    english = "The boundary layer separates from the surface of the wing at high angles of attack."
    german = "Der schnelle braune Fuchs springt über den faulen Hund und läuft in den Wald hinein."
    assert languages_of([english] * 9 + [german]) == ("en",)
    assert languages_of([english] * 6 + [german] * 4) == ("en", "de")
    assert languages_of(["1", "2"]) == ()


@pytest.mark.parametrize(
    ("language", "text", "query", "marked"),
    [
        ("en", "Compress a folder, or folders; compression of files.", "compressing folders", 4),
        ("de", "Die Häuser am Haus, hausen.", "Haus", 3),
        ("fr", "Les chevaux: un cheval.", "chevaux", 2),
        ("zh", "把文件夹压缩成文件。这个事件与文化无关。", "压缩文件夹", 3),
        ("ja", "フォルダを圧縮する。圧力と縮小。", "圧縮", 1),
        ("th", "การบีบอัดโฟลเดอร์", "บีบอัด", 1),
    ],
)
def test_what_the_analyser_brings_together_is_marked(language, text, query, marked):
    spans = highlight_terms(text, query, analyser=Analyser((language,)))
    assert len(spans) == marked, [text[a:b] for a, b in spans]


def test_a_lone_character_of_a_longer_word_is_not_marked():
    chinese = Analyser(("zh",))
    assert highlight_terms("事件 文化", "文件", analyser=chinese) == []
    assert highlight_terms("事件 文化", "件", analyser=chinese) == [(1, 2)]


def test_an_analyser_can_be_stored_and_is_shared():
    made = Analyser(("en", "de"), stemming=False)
    again = Analyser.from_dict(json.loads(json.dumps(made.to_dict())))
    assert again == made
    assert Analyser.from_dict(made.to_dict()) is again
    for wrong in ({}, {"languages": "en"}, {"languages": ["en"], "stemming": "yes"}, {"languages": [1]}):
        with pytest.raises(InputError, match="an analyser is described by"):
            Analyser.from_dict(wrong)


def test_what_an_analyser_remembers_is_bounded(monkeypatch):
    monkeypatch.setattr(analyser_module, "MOST_KNOWN", 50)
    english = Analyser(("en",))
    text = " ".join(f"words{number} folders" for number in range(400))
    expected = Analyser(("en",), stemming=True).terms("words1 folders")
    assert english.terms(text)[2:4] == expected
    assert english.terms(text) == english.terms(text)
    assert len(english._known) <= 50
    assert len(english._known._before) <= 50


def test_threads_share_a_stemmer():
    """Snowball's stemmers hold the word that they work on: two threads at once would mix their words."""
    words = [f"{stem}{ending}" for stem in ("compress", "relat", "organ", "nation") for ending in ("ing", "ed", "ize")]
    expected = [stemmer("en")(word) for word in words]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: [stemmer("en")(word) for word in words], range(40)))
    finally:
        sys.setswitchinterval(before)
    assert all(each == expected for each in found)


def test_only_languages_with_a_name_are_detected():
    texts = [
        "Dis na how we dey do am for here, make una come chop",
        "Monty Python sketches Dead parrot",
        "ok wetin dey sup my guy",
    ]
    texts += ["Una don see wetin dem dey do for di market wey dey near di big road since yesterday?" * 3]
    for text in texts:
        found = detect_language(text)
        assert found is None or language_name(found) != found, found
    assert detect_language("Das ist ein ganz gewöhnlicher deutscher Satz über Hunde und Katzen.") == "de"
