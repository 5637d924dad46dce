import { writeFile } from 'node:fs/promises'
import { renderBenchmarks } from './render-page.ts'

/** Writes the page of all benchmarks and its charts into docs/benchmarks/. */
export async function writePage(): Promise<void> {
  for (const [file, content] of renderBenchmarks()) {
    await writeFile(new URL(`../../docs/benchmarks/${file}`, import.meta.url), content)
  }
}
