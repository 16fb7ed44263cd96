# Prints the packages that a crash of the race detector has ended, without a race and without a failed
# test, from what go test has printed. It fails when there is none, and when a package has failed for
# another reason.
#
# The detector of Go 1.26 itself crashes now and then in bubbles of testing/synctest (golang.org/issue/78156):
# what fires the timers of a bubble and a goroutine that reads the channel of one use the same context of
# the detector at the same time.
/^(ThreadSanitizer: CHECK failed|SIGSEGV: segmentation violation)/ { crash = 1 }
/^(WARNING: DATA RACE|--- FAIL)/ { failure = 1 }
/^(ok|FAIL|\?)[ \t]/ {
	if ($1 == "FAIL" && (failure || !crash)) other = 1
	if ($1 == "FAIL" && crash) { print $2; crashes++ }
	crash = failure = 0
}
END { exit other || !crashes }
