/** What every import says after its options. */
export const importHelp = `
Rows that cannot be used are listed with their line and left out; the others are stored.
The exit code is 1 only where the file cannot be used at all, or no row of it.`
