"""Where parcels wait."""

import os
import subprocess

from app.base import Shelf
from flask import request

LIMIT: int = 40


def traced(call):
    """Marks a step of a parcel."""
    return call


class Depot(Shelf):
    """Keeps parcels."""

    @traced
    async def fetch(self, parcel_id: int, *rest) -> "Parcel":
        label = os.path.join("parcel", str(parcel_id))
        found = await self.client.load(label)
        if not found:
            raise LookupError(parcel_id)
        self.last = found
        same = found
        return same

    def _stream(self, parcels):
        for parcel in parcels:
            if parcel is None:
                continue
            if parcel == "end":
                break
            yield parcel

    def run(self):
        parcel = request.args.get("parcel")
        subprocess.run(parcel, shell=True)


def careless(parcel):
    try:
        return parcel.weight
    except:
        return None
