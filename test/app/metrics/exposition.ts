import assert from 'node:assert/strict'

/** A line of the text format: name, labels and value. */
interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** A parsed metrics page (Prometheus text format 0.0.4). */
export interface Exposition {
  /** Type of each metric family, by name. */
  types: Map<string, string>
  samples: Sample[]
  /** The value of the metric with this name and exactly these labels. */
  value(name: string, labels?: Record<string, string>): number
}

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

/** Parses a page and throws at the first line that Prometheus would reject. Reads NaN as 0. */
export function readExposition(text: string): Exposition {
  assert.ok(text.endsWith('\n'))
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, family = '', type] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? []
    if (type !== undefined) {
      assert.ok(!types.has(family), `${family} is declared twice`)
      types.set(family, type)
    } else if (!line.startsWith('# HELP ')) samples.push(readSample(line, types))
  }
  const labelText = (labels: Record<string, string>) => JSON.stringify(Object.entries(labels).sort())
  const seen = new Set(samples.map(({ name, labels }) => name + labelText(labels)))
  assert.equal(seen.size, samples.length, 'a sample is repeated')
  return {
    types,
    samples,
    value(name, labels = {}) {
      const found = samples.find((sample) => sample.name === name && labelText(sample.labels) === labelText(labels))
      assert.ok(found, `there is no ${name} with ${labelText(labels)}`)
      return found.value
    },
  }
}

function readSample(line: string, types: Map<string, string>): Sample {
  const [, name = '', list = '', number = ''] = sampleLine.exec(line) ?? []
  const value = number === '+Inf' ? Number.POSITIVE_INFINITY : /^nan$/i.test(number) ? 0 : Number(number)
  assert.ok(name !== '' && !Number.isNaN(value), line)
  const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
  assert.ok(types.has(family), `${name} has no TYPE line before it`)
  const labels: Record<string, string> = {}
  label.lastIndex = 0
  while (label.lastIndex < list.length) {
    const [, key, said] = label.exec(list) ?? []
    assert.ok(key !== undefined && said !== undefined, line)
    labels[key] = said
  }
  return { name, labels, value }
}
