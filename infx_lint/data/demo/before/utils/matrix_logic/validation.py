"""A schema in the shape of the linted repository's."""

from enum import Enum
from typing import List, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Fields(Enum):
    SCENARIO_TYPE = "scenario-type"


class ChangelogEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    config_keys: list[str] = Field(alias="config-keys", min_length=1)
    description: list[str] = Field(min_length=1)
    pr_link: str = Field(alias="pr-link")
    evals_only: bool = Field(alias="evals-only", default=False)
    append_only: bool = Field(alias="append-only", default=False)
    scenario_type: Optional[List[Literal["fixed-seq-len", "agentic-coding"]]] = Field(
        alias=Fields.SCENARIO_TYPE.value, default=None, min_length=1
    )

    @model_validator(mode="after")
    def refuse_contradiction(self):
        if self.append_only and self.evals_only:
            raise ValueError("append-only cannot be combined with evals-only")
        return self
