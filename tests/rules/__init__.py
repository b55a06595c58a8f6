"""Both games: their rulings, their contract, and the comparison with a second implementation."""

import pytest

pytest.register_assert_rewrite("rules.cases")
