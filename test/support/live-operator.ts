import { readFile } from 'node:fs/promises'

const sample = new URL('../../reference-data/operator.sample.json', import.meta.url)

/** An operator's file with which live starts: the sample with another business in it. */
export async function readLiveOperator(): Promise<Record<string, unknown>> {
  const text = await readFile(sample, 'utf8')
  const real = text
    .replaceAll('Sample', 'Northern')
    .replaceAll('sample-', 'northern-')
    .replaceAll('example', 'northern')
    .replaceAll('Example', 'Northern')
  const {
    sample: _flag,
    look: _sampleLook,
    ...operator
  } = JSON.parse(
    real
      .replaceAll('ZZ1', 'LS1')
      .replaceAll('01632 960', '0113 496 0')
      .replaceAll('00000000', '12345678')
      .replaceAll('000 0000 00', '123 4567 89'),
  )
  return operator
}
