"""Start CodeCompass in the environment of the bundle."""

from codecompass.__main__ import main

if __name__ == "__main__":
    main()
