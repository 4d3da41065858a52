"""Module doc."""
# <- doc
# == constant
MAX_SIZE = 3
# <- def const sig="MAX_SIZE = 3" vis=public
# == decorated class with bases
@register("x")
#^ ref decorator owner=Handler
class Handler(Base, metaclass=Meta):
#     ^ def class sig="class Handler(Base, metaclass=Meta)" doc="Handles it." end=+8
#             ^ ref inherit owner=Handler
    """Handles it."""
    # == class field
    limit: int = 1
#   ^ def field scope=Handler sig="limit: int = 1"
#          ^ ref type
    # == multi-line signature
    def run(self, first: str,
#       ^ def method scope=Handler sig="def run(self, first: str, second: int = 2) -> Result" vis=public
            second: int = 2) -> Result:
#                               ^ ref type owner=run
        # == attribute call
        self.count = os.path.join(first)
#            ^ ref write recv=self
#                            ^ ref call owner=run recv=os.path
        return inner()
#              ^ ref call recv=""

    # == private method
    def _hide(self): pass
#       ^ def method vis=private scope=Handler
