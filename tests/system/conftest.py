"""The databases of the system tests."""

from databases import postgres as postgres
from databases import redis as redis
