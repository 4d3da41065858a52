#!/usr/bin/env bash
# == sourced files
source ./lib/colors.sh
# <- import module=./lib/colors.sh
# <- none
. "$HOME/.settings"
# <- import module=$HOME/.settings
#    ^ none
#   ^ ref read
. "$(dirname "$0")/tools.sh"
# <- import module="$(dirname \"$0\")/tools.sh"
#    ^ ref call
source 'single quoted.sh'
# <- import module="single quoted.sh"
# == function with documentation
# Says hello.
# <- comment
greet() {
# <- def fn vis=public sig="greet()" doc="Says hello." end=+2
  echo "Hello, $1"
# ^ ref call owner=greet
#              ^ none
}
# == the word for a function, with and without parentheses
function build {
#        ^ def fn vis=public sig="function build" end=+2
  greet "you"
# ^ ref call owner=build
}
function clean () { rm -rf "$OUT"; }
#        ^ def fn vis=public sig="function clean ()"
#                   ^ ref call owner=clean
#                            ^ ref read owner=clean
# == function whose body is a subshell
isolated() (
# <- def fn vis=public sig="isolated()" end=+2
  cd /tmp && build
# ^ ref call owner=isolated
#            ^ ref call owner=isolated
)
# == names with signs, names that are private by custom
my-tool::run() { :; }
# <- def fn vis=public sig="my-tool::run()"
_helper() { my-tool::run; }
# <- def fn vis=private sig="_helper()"
#           ^ ref call owner=_helper
# == variables of the script
NAME=value
# <- def var vis=internal sig="NAME=value"
list=(one two)
# <- def var vis=internal sig="list=(one two)"
A=1 B=2
# <- def var vis=internal
#   ^ def var vis=internal
# == a variable is defined where it is first set
NAME=other
# <- ref write
NAME+=more
# <- ref write
list[3]=x
# <- ref write
# == exported variables
export PATH="$PATH:/opt/bin"
#      ^ def var vis=public sig="export PATH=\"$PATH:/opt/bin\""
#             ^ ref read owner=PATH
LATER=yes
# <- def var vis=public sig="LATER=yes"
export LATER
#      ^ ref read
declare -x SHOWN=1
#          ^ def var vis=public sig="declare -x SHOWN=1"
# == constants
readonly LIMIT=10
#        ^ def const vis=internal sig="readonly LIMIT=10"
declare -r VERSION="1.0"
#          ^ def const vis=internal sig="declare -r VERSION=\"1.0\""
declare -ir BITS=8
#           ^ def const vis=internal
# == arrays and numbers that are declared
declare -A table=([key]=value)
#          ^ def var vis=internal sig="declare -A table=([key]=value)"
typeset -i number=3
#          ^ def var vis=internal sig="typeset -i number=3"
# == defaults and conditional values
: "${MODE:=fast}"
#    ^ def var vis=internal
if [ -n "$CI" ]; then
#         ^ ref read
  TARGET=ci
# ^ def var vis=internal sig="TARGET=ci"
else
  TARGET=local
# ^ ref write
  export QUIET=1
#        ^ def var vis=public
fi
[ -z "$ROOT" ] && ROOT=/
#      ^ ref read
#                 ^ def var vis=internal sig="ROOT=/"
# == aliases
alias ll='ls -l' la='ls -a'
#     ^ def macro vis=public sig="alias ll='ls -l' la='ls -a'"
#                ^ def macro vis=public
alias g=git
#     ^ def macro vis=public sig="alias g=git"
alias
# == local variables
deploy() {
# <- def fn vis=public sig="deploy()" end=+12
  local host=$1 port
#       ^ none
#               ^ none
  local -r user="$NAME"
#                 ^ ref read owner=deploy
  declare count=0
  for file in *.txt; do
    echo "$file $host ${port:-80} $user $count"
#          ^ none
#                ^ none
#                       ^ none
  done
  declare -g SHARED=1
#            ^ ref write owner=deploy
  status=ok
# ^ ref write owner=deploy
  read -r answer
#         ^ ref write owner=deploy
  unset NAME
#       ^ ref write owner=deploy
  return "$status"
# ^ none
#          ^ ref read owner=deploy
}
# == calls in pipes, substitutions, tests and documents
greet | build > out.txt
# <- ref call
#       ^ ref call
VALUE=$(clean "$(isolated)")
# <- def var vis=internal
#       ^ ref call owner=VALUE
#                ^ ref call owner=VALUE
while deploy; do build; done < <(greet)
#     ^ ref call
#                ^ ref call
#                                ^ ref call
if ! clean; then exit 1; fi
#    ^ ref call
cat <<EOF
$NAME $(build)
#^ ref read
#       ^ ref call
EOF
case $MODE in
#     ^ ref read
  fast) greet ;;
#       ^ ref call
esac
LANG=C build --all
# <- ref write
#      ^ ref call
# == functions that are named, not called
trap clean EXIT
#    ^ ref call
export -f greet
#         ^ ref read
"$TOOL" run
#  <- none
# ^ ref read
# == nested function
outer() {
# <- def fn vis=public sig="outer()" end=+5
  inner() {
# ^ def fn scope=outer vis=public sig="inner()" end=+2
    greet
#   ^ ref call owner=inner
  }
  inner
# ^ ref call owner=outer
}
