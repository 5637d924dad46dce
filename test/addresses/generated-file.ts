import { createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { generateCsv } from '../../src/domain/addresses/samples/generate-csv.ts'

/** Writes a file of `count` properties, with an unusable row after each third of them and two repeated rows at the end. */
export async function writeGenerated(path: string, count: number): Promise<void> {
  const output = createWriteStream(path)
  await generateCsv(output, { count, seed: 3 })
  output.end()
  await finished(output)
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\r\n')
  for (const part of [1, 2, 3])
    lines.splice(Math.floor((part * count) / 3), 0, `${part} Bad Lane,,Leeds,,England,nowhere,${part},,`)
  await writeFile(path, `${lines.join('\r\n')}\r\n${lines[1]}\r\n${lines.at(-1)}`)
}
