/** Shown after the options of every import command. */
export const importHelp = `
Invalid rows are listed with their line and left out; the other rows are stored. If the file gives a
property in several ways, all of its rows are left out. The exit code is 1 if that happens, if the file
cannot be read, or if it has no valid row. A meter point that several properties have is reported.`
