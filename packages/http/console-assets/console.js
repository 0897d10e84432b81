// Makes pages live. Nothing depends on it: without it pages are read anew by hand.
