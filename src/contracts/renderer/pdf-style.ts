import type { TextStyle } from './type-setter.ts'

export const colours = {
  ink: '#17212b',
  quiet: '#4b5762',
  accent: '#0b5a63',
  tint: '#eff6f6',
  rule: '#d3dcdf',
  markInk: '#5c3b00',
  markTint: '#fff3d1',
} as const

/** An A4 page and its margins, in points. */
export const page = { width: 595.28, height: 841.89, left: 50, right: 50, top: 50, bottom: 54 } as const
export const contentWidth = page.width - page.left - page.right

const { ink, quiet, accent } = colours

export const styles = {
  issuer: { weight: 'strong', size: 10.5, leading: 16, colour: accent },
  title: { weight: 'strong', size: 20, leading: 26, colour: ink },
  introduction: { weight: 'regular', size: 9.5, leading: 13.1, colour: quiet },
  mark: { weight: 'strong', size: 9.5, leading: 14, colour: colours.markInk },
  section: { weight: 'strong', size: 14.5, leading: 19, colour: accent },
  heading: { weight: 'strong', size: 10.5, leading: 14.5, colour: ink },
  text: { weight: 'regular', size: 9.5, leading: 13.1, colour: ink },
  term: { weight: 'regular', size: 9.5, leading: 13.1, colour: quiet },
  link: { weight: 'regular', size: 9.5, leading: 13.1, colour: accent },
  caption: { weight: 'strong', size: 9.5, leading: 14, colour: ink },
  columnHeading: { weight: 'regular', size: 8.75, leading: 12.5, colour: quiet },
  cell: { weight: 'regular', size: 8.75, leading: 12.5, colour: ink },
  total: { weight: 'strong', size: 8.75, leading: 12.5, colour: ink },
  factLabel: { weight: 'regular', size: 8.25, leading: 12, colour: quiet },
  factValue: { weight: 'strong', size: 11, leading: 15, colour: ink },
  factLead: { weight: 'strong', size: 19, leading: 25, colour: accent },
  factNote: { weight: 'regular', size: 8.75, leading: 13, colour: ink },
  furniture: { weight: 'regular', size: 7.75, leading: 11, colour: quiet },
} as const satisfies Record<string, TextStyle>
