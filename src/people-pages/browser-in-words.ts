/** Names of browsers by what their `User-Agent` has. Many also name the ones below them. */
const browsers = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|OPT|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const
const systems = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
] as const

/** A browser by its `User-Agent`, such as "Firefox on Windows"; what it calls itself first if it is no known one. */
export function browserInWords(userAgent: string): string {
  const named = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1]
  const name = named(browsers) ?? (userAgent.split(/[\s/]/)[0]?.slice(0, 40) || 'Not known')
  const system = named(systems)
  return system === undefined ? name : `${name} on ${system}`
}
