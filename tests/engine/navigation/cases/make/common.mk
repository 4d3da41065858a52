CC = gcc
CFLAGS = -O2 $(WARN)
#              ^ -> WARN
WARN = -Wall
PREFIX ?= /usr
dirs:
	mkdir -p $(PREFIX)
#           ^ -> PREFIX
check: dirs
#      ^ -> dirs
	$(CC) $(MISSING)
#  ^ -> CC
#       ^ unresolved
test: check
#     ^ -> check
	echo $(WARN)
#       ^ -> WARN
