// hash8
#define MULTIPLIER $0x2545f4914f6cdd1d

#define STEP run_layout+layout_step(R13)
#define SIZE run_layout+layout_size(R13)
#define PHASE run_layout+layout_phase(R13)

// ENTRY sets BX to the entry of the position at, whose eight bytes are in BX, and
// DX to its slot. R13 is the run, CX its down, and R15 MULTIPLIER.
#define ENTRY(at, scratch) \
	ANDQ run_mask(R13), BX \
	IMULQ R15, BX \
	MOVQ BX, DX \
	SHRQ CX, DX \
	SHRQ $24, BX \
	MOVBLZX BX, BX \
	MOVL at, scratch \
	SHLL $8, scratch \
	ORL  scratch, BX
