# == definitions around broken syntax
def before(): return 1
#   ^ def fn vis=public sig="def before()"

def broken(value):
#   ^ def fn vis=public sig="def broken(value)" end=+2
    x = = value
    return ) x

# == facts after the break
class After(Base):
#     ^ def class vis=public sig="class After(Base)" end=+2
#           ^ ref inherit owner=After
    def run(self, value: int) -> str:
#       ^ def method scope=After vis=public sig="def run(self, value: int) -> str" end=+1
#                        ^ ref type owner=run
#                                ^ ref type owner=run
        return call(value)
#              ^ ref call owner=run
