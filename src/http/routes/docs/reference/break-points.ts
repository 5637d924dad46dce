import { type Html, html } from '../../../pages/html.ts'

/** A path that may wrap before each slash. */
export function pathWithBreakPoints(path: string): Html {
  return breakableAt(path, /(?<=.)(?=\/)/)
}

/** A dotted name, such as a field's path or an event's type, that may wrap after each dot. */
export function nameWithBreakPoints(name: string): Html {
  return breakableAt(name, /(?<=\.)/)
}

function breakableAt(text: string, places: RegExp): Html {
  return html`${text.split(places).map((part, index) => (index === 0 ? part : html`<wbr>${part}`))}`
}
