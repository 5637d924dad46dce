// Writes the files that are generated from the program: `npm run generate`, or only those whose paths it is given. With
// --check, writes nothing and fails if a committed file is out of date.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatedFiles, readCommitted } from './generated/files.ts'

const checksOnly = process.argv.includes('--check')
const chosen = process.argv.slice(2).filter((parameter) => parameter !== '--check')
let stale = 0

for (const { path, isIgnored = false, generate } of generatedFiles) {
  if ((checksOnly && isIgnored) || (chosen.length > 0 && !chosen.includes(path))) continue
  const wanted = await generate()
  if ((await readCommitted(path)) === wanted) {
    console.log(`${path} is current`)
    continue
  }
  stale += 1
  if (checksOnly) {
    console.error(`${path} is out of date: run "npm run generate" and commit the result`)
    continue
  }
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, wanted)
  console.log(`${path} written`)
}
if (checksOnly && stale > 0) process.exitCode = 1
