/** What a fact of the API document says about one value of a request or a response. */
interface Described {
  /** The fact, as in `released.txt`. */
  facts: string[]
  direction: 'request' | 'response'
  isRequired: boolean
  /** The types, formats and enumerations; `null` if it can be null. */
  forms: Set<string>
}

/** Enumerations to which values may be added: their descriptions say so. */
const extensible =
  /\.(type|eventType|error|code|events\[\])$|^problem\.code$|^api GET \/partner-api\/Events\S* .*\.data\.(status|previousStatus)$/

/**
 * The facts that break a client or an operator of the last release: something is gone, a request needs more or accepts less, or a
 * response promises less. Returns the facts of the last release and of today that say so.
 */
export function breakingFacts(released: readonly string[], current: readonly string[]): string[] {
  const before = describe(released)
  const after = describe(current)
  const values = [...before].flatMap(([place, old]) => {
    const now = after.get(place)
    if (now === undefined) return old.facts
    return breaks(place, old, now) ? [...old.facts, ...now.facts] : []
  })
  const needed = [...after].flatMap(([place, now]) =>
    now.direction === 'request' && now.isRequired && !before.has(place) && hasParent(place, before) ? now.facts : [],
  )
  const others = released.filter((fact) => !isValue(fact) && !fact.includes(' codes: ') && !current.includes(fact))
  return [...values, ...needed, ...others]
}

function breaks(place: string, old: Described, now: Described): boolean {
  if (old.direction === 'request') return (now.isRequired && !old.isRequired) || !includes(now.forms, old.forms)
  if (old.isRequired && !now.isRequired) return true
  return !includes(old.forms, now.forms) && !extensible.test(place)
}

/** Whether every value of the second forms is also one of the first. */
function includes(forms: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  const isEnumeration = (set: ReadonlySet<string>) => [...set].some((form) => form.startsWith('"'))
  if (!isEnumeration(forms) && isEnumeration(others)) return others.has('null') ? forms.has('null') : true
  return [...others].every((form) => forms.has(form))
}

function isValue(fact: string): boolean {
  return (
    /^(problem|api \S+ \S+ (\d\w\w|request\??|query|header|path)) ?\S*.*: /.test(fact) &&
    !/ (codes|headers): /.test(fact)
  )
}

/** The values that facts describe, by their place without the marks of optional members. */
function describe(facts: readonly string[]): Map<string, Described> {
  const values = new Map<string, Described>()
  for (const fact of facts.filter(isValue)) {
    const colon = fact.indexOf(': ', fact.indexOf('/'))
    const marked = fact.slice(0, colon === -1 ? fact.indexOf(': ') : colon)
    const place = marked.replaceAll('?', '')
    const value = values.get(place) ?? {
      facts: [],
      direction: isRequest(fact) ? ('request' as const) : ('response' as const),
      isRequired: !marked.endsWith('?'),
      forms: new Set<string>(),
    }
    value.facts.push(fact)
    for (const form of formsOf(fact.slice(marked.length + 2))) value.forms.add(form)
    values.set(place, value)
  }
  return values
}

/** The values of an enumeration, or the type with its format. */
function formsOf(text: string): string[] {
  const listed = [...text.matchAll(/"[^"]*"/g)].map(([value]) => value)
  return listed.length > 0 ? listed : [text]
}

/** Partners send requests to the API; the messages of webhooks are sent to them. */
function isRequest(fact: string): boolean {
  return /^api \S+ \/\S+ (request|query|header|path)/.test(fact)
}

/** Whether the value's object was in the last release: only then is it an addition to something. */
function hasParent(place: string, before: ReadonlyMap<string, Described>): boolean {
  const parent = place.replace(/\.[^.]*$/, '')
  return [...before.keys()].some((known) => known.startsWith(parent))
}
