"""``python -m escadaria`` is the command ``escadaria``."""

from escadaria.cli import main

if __name__ == "__main__":
    main()
