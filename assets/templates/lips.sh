#!/bin/sh
# Lip correction from a few corrected frames. Run it with: sh LIST
# Here it works on a sample capture; put the names of your files in its place.
# docs/lips.md has every option.
set -e

# A sample: capture.pc2 with damaged lips, ten corrected frames in fix/, vertex lists.
pliant lips demo --out lips-sample --around 48
cd lips-sample

# 1. Which frames to correct by hand.
pliant lips suggest --rest rest.obj --capture capture.pc2 --inner inner.txt --mouth mouth.txt --count 3

# 2. A lip model from the corrected frames; the last number in a file name is the frame, from 0.
pliant lips train --rest rest.obj --capture capture.pc2 --corrected "fix/*.obj" --inner inner.txt --mouth mouth.txt --out mouth.lips

# 3. All frames, corrected.
pliant lips apply mouth.lips --capture capture.pc2 --out corrected.glb
