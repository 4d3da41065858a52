import os
import pickle
import random
import shlex
import sqlite3
import subprocess
import sys
from html import escape

import requests as http
import yaml
from flask import Flask, make_response, redirect, render_template_string, request, send_file

app = Flask(__name__)
db = sqlite3.connect("shop.db")


# == a value goes through variables into a shell
@app.route("/ping")
def ping():
    host = request.args.get("host")
#                  ^ source req.input
    command = "ping " + host
    os.system(command)
#      ^ flow req.input->os.system


# == interpolation and formatting keep the value
def formatted():
    name = request.form["name"]
    db.execute(f"select * from users where name = '{name}'")
#      ^ flow req.input->sql.query
    db.execute("select * from users where name = '%s'" % name)
#      ^ flow req.input->sql.query
    db.execute("select * from users where name = '{}'".format(name))
#      ^ flow req.input->sql.query


# == parameters of a statement are harmless
def bound():
    name = request.form["name"]
    db.execute("select * from users where name = ?", (name,))
#      ^ clean


# == a clean value given later cleans
def cleaned():
    path = request.args["path"]
    path = "index.html"
    open(path)
#   ^ clean


# == a clean value on one way only does not
def maybe(flag):
    path = request.args["path"]
    if flag:
        path = "index.html"
    open(path)
#   ^ flow req.input->file.open


# == a clean value on every way does
def every(flag):
    path = request.args["path"]
    if flag:
        path = "a"
    else:
        path = "b"
    open(path)
#   ^ clean


# == a way that ends does not count
def ended(flag):
    path = "a"
    if flag:
        path = request.args["path"]
        return path
    open(path)
#   ^ clean


# == either way taints
def either(flag):
    if flag:
        word = request.args["q"]
    else:
        word = "x"
    eval(word)
#   ^ flow req.input->eval


# == a sanitizer for the sink
def quoted():
    name = request.args["name"]
    subprocess.run("ls " + shlex.quote(name), shell=True)
#              ^ clean
#                                ^ sanitizer shell.quote


# == a sanitizer for another sink
def wrong_quote():
    name = escape(request.args["name"])
    subprocess.run("ls " + name, shell=True)
#              ^ flow req.input->subprocess.shell


# == numbers do no harm
def numbered():
    number = int(request.args["number"])
    db.execute("select * from t limit " + str(number))
#      ^ clean


# == a comparison or a length says little of the value
def compared():
    word = request.args["word"]
    flag = word == "yes"
    os.system("echo " + str(flag) + str(len(word)))
#      ^ clean


# == a look-up by the value gives something else
def looked_up():
    table = {"a": "users"}
    name = table[request.args["t"]]
    db.execute("select * from " + name)
#      ^ clean


# == attributes of the object
class Job:
    def run(self):
        self.command = request.args["c"]
        self.other = "ls"
        os.system(self.command)
#          ^ flow req.input->os.system
        os.system(self.other)
#          ^ clean


# == items of a loop and of a comprehension
def looped():
    for word in request.form.getlist("w"):
        exec(word)
#       ^ flow req.input->eval
    return [eval(word) for word in request.args.values()]
#           ^ flow req.input->eval


# == unpacking and adding
def unpacked():
    first, second = request.args["a"], 1
    text = "x"
    text += first
    os.popen(text)
#      ^ flow req.input->os.system


# == containers hold what was put in
def held():
    parts = {}
    parts["a"] = request.args["a"]
    os.system(parts["a"])
#      ^ flow req.input->os.system


# == later rounds of a loop
def rounds(items):
    after = "x"
    for item in items:
        os.system(after)
#          ^ flow req.input->os.system
        after = request.args["a"]


# == an alias of a module
def fetched():
    return http.get(request.args["url"]).text
#               ^ flow req.input->http.request


# == a page made from what came in
def page():
    return render_template_string("<b>" + request.args["q"] + "</b>")
#          ^ flow req.input->template.render


# == another place to go, a file to send
def going():
    send_file("files/" + request.args["f"])
#   ^ flow req.input->file.send
    return redirect(request.args["next"])
#          ^ flow req.input->redirect


# == a cookie is read back
def cookie():
    return pickle.loads(request.cookies["state"])
#                 ^ flow req.headers->deserialize


# == what the machine gives is trusted more
def machine():
    os.system(os.environ["EDITOR"] + " file")
#      ^ flow env->os.system
    os.system(sys.argv[1])
#      ^ flow argv->os.system


# == one call deep, by position and by keyword
def delete(folder, name="x"):
    os.system("rm " + name)
#      ^ flow req.input->os.system


def deleting():
    delete("a", request.args["n"])
    delete(request.args["folder"])
    delete("b", name=request.args["m"])


# == what a function of the file gives
def asked():
    return request.args["q"]


def asking():
    os.system(asked())
#      ^ flow req.input->os.system


# == a method is given it
class Runner:
    def start(self, line):
        subprocess.call(line, shell=True)
#                  ^ flow req.input->subprocess.shell

    def go(self):
        self.start(request.args["line"])


# == places that are findings by themselves
def places(data, token):
    yaml.load(data)
#        ^ finding deserialize
    yaml.load(data, Loader=yaml.SafeLoader)
#        ^ none
    pickle.loads(data)
#          ^ finding deserialize
    http.get("https://x.example", verify=False)
#        ^ finding tls.verify
    token = random.randint(1, 9)
#                  ^ finding random.weak
    wait = random.randint(1, 9)
#                 ^ none
    subprocess.run(["ls"], check=True)
#              ^ sink subprocess.run
    subprocess.run(data, shell=True)
#              ^ finding subprocess.shell


# == a name of one's own is no builtin
def compile(text):
    return text


def own():
    compile(request.args["q"])
#   ^ none


# == what is written in a string is no name
def words():
    word = request.args["w"]
    os.system("echo word")
#      ^ clean


# == branches of an expression and of match
def expressed(flag):
    word = request.args["w"] if flag else "x"
    os.system(word)
#      ^ flow req.input->os.system
    match flag:
        case 1:
            word = "a"
    os.system(word)
#      ^ flow req.input->os.system


# == a response
def answered():
    return make_response(request.args["q"])
#          ^ flow req.input->response.html
