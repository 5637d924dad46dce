/** Shown after the options of every import command. */
export const importHelp = `
Invalid rows are listed with their line and left out; the other rows are stored.
The exit code is 1 only if the file cannot be read or has no valid row.`
