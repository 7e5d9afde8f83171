"""What the demo tells its annotators: what the grades mean, with examples, and how to decide."""

from __future__ import annotations

GRADE_NAMES = ("not relevant", "related", "answers it")

GRADE_MEANINGS = (
    "Does not help with the question, even if it shares words or a module with it.",
    "Part of the way: a step beside the main one, a close variant, the exact opposite, or the module to look into.",
    "Answers the question: calling it, perhaps in a loop, does what the need describes.",
)

GRADE_EXAMPLES = (
    '"compress a folder into a zip file": zipfile.ZipFile.printdir is about zip files, but packs nothing.',
    '"compress a folder into a zip file": zipfile.ZipFile.extractall does the exact opposite.',
    '"compress a folder into a zip file": shutil.make_archive does it in one call.',
)

GUIDELINES = """\
Each card shows a **question** about Python with the **need** behind it, and one **document**: a module, function, class
or method of the standard library, with its signature and its documentation.

Ask yourself: *if I had this need and found this document, would I be done?*

| grade | name | when |
| --- | --- | --- |
| 2 | answers it | Calling it, perhaps in a loop, does what the need describes. |
| 1 | related | A step beside the main one, a close variant, the exact opposite, or the module to look into. |
| 0 | not relevant | It does not help, even if it shares words or a module with the question. |

- Judge by **what the document says**; use what you know of Python to understand it, not to add to it.
- The **need** decides, not the wording of the question.
- Several documents may answer a question: grade each as if it were the only one found.
- A module whose text shows how to do it answers the question; one that only covers the subject is related.
- A function that newer code would avoid still answers, if it does the job.
- Between two grades, take the **lower** one.
- If the text cannot be judged, say *can't tell* rather than guess.
"""
