import { styleText } from 'node:util'
import { invocation } from './invocation.ts'

/** What a colour says, whatever the terminal makes of it. */
const formats = { good: 'green', bad: 'red', quiet: 'dim', heading: 'bold' } as const

export type Colour = keyof typeof formats

/** Colours text on a terminal. Leaves it as it is if the stream is no terminal, or if NO_COLOR is set. */
export function coloured(colour: Colour, text: string, stream: NodeJS.WritableStream = invocation().stdout): string {
  return styleText(formats[colour], text, { stream })
}
