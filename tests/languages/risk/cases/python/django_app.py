import hashlib
import os

import jwt
from django.db import connection
from django.http import HttpResponse
from django.utils.safestring import mark_safe
from fastapi import FastAPI

from shop.models import User

router = FastAPI()

# == a view and raw queries
def search(request):
    name = request.GET.get("name")
#                  ^ source req.input
    User.objects.raw("select * from user where name = '" + name + "'")
#                ^ flow req.input->sql.raw
    with connection.cursor() as cursor:
        cursor.execute("select " + name)
#              ^ flow req.input->sql.query
    return HttpResponse("Hello " + name)
#          ^ flow req.input->response.html


# == markup that is said to be safe
def markup(request):
    return mark_safe(request.POST["text"])
#          ^ flow req.input->html.safe


# == parameters of a route are input
@router.get("/files/{name}")
def files(name: str, size: int = 1):
    return open(name).read()
#          ^ flow req.params->file.open


# == filters of the mapper are harmless
def filtered(request):
    return User.objects.filter(name=request.GET["name"])
#                       ^ none


# == weak hashes and tokens that nobody checks
def crypto(data):
    hashlib.md5(data)
#           ^ finding hash.weak
    hashlib.md5(data, usedforsecurity=False)
#           ^ none
    hashlib.new("sha1", data)
#           ^ finding hash.weak
    hashlib.sha256(data)
    jwt.decode(data, "k", options={"verify_signature": False})
#       ^ finding jwt.verify


# == secrets in the source
API_KEY = "9f8e7d6c5b4a"
# <- finding secret.literal
PASSWORD = os.environ["PASSWORD"]
# <- none
PASSWORD_FIELD = ""
# <- none
