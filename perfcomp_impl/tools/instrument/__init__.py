"""What perfcomp-cc and perfcomp-instrument are made of; driver.py and script.py are the ways in."""
