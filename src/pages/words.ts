/** The words that all pages share. */
export const words = {
  skipToContent: 'Skip to the content',
  back: 'Back',
  errorPrefix: 'Error: ',
  problemHeading: 'There is a problem',
  noSuchDay: 'There is no such day. Check the day, the month and the year',
  stale: {
    title: 'This page is out of date',
    text: 'Nothing was sent. Go back, and send the page again.',
  },
  goOn: 'Go on',
  signIn: 'Sign in',
  notNow: 'This cannot be done now',
  notFound: {
    title: 'There is nothing here',
    text: 'Check that the whole address was copied. What it was about may have been deleted.',
  },
  busy: {
    title: 'Try again in a moment',
    text: (seconds: number | undefined) =>
      `We could not do this just now. What you sent before is kept.${seconds === undefined ? '' : ` Try again in ${waitInWords(seconds)}.`}`,
  },
  paging: { label: 'Pages', first: 'First page', next: 'Next page' },
  filter: { label: 'Filter', button: 'Show', clear: 'Show all' },
  orFile: 'Or choose a file that has it',
  notUtf8: 'The file is not in UTF-8. Save it as UTF-8, then choose it again',
  tooLarge: {
    title: 'This is too large',
    text: 'Nothing was changed. A file or a long text can have 2 MiB. Go back, and choose a smaller one.',
  },
  notReceived: {
    title: 'What you sent was not received',
    text: 'It is larger than 64 KiB, and you are not signed in, or not with a role that may send it. Sign in in another tab, then go back and send it again.',
  },
  order: { newest: 'Newest first', oldest: 'Oldest first' },
  csv: 'Download all that match as CSV',
  reload: { once: 'Reload', start: 'Reload every 10 s', stop: 'Stop reloading' },
  /** What can happen on every page that has a form. */
  notices: {
    service_unavailable: 'We could not do this just now. Nothing was changed. Try again in a moment.',
    rate_limited: (seconds: number) =>
      `This was done too often, so nothing was changed. Try again in ${waitInWords(seconds)}.`,
    csv_too_long: 'More than 5,000 rows match, so there is no file. Filter for less, such as a shorter time.',
    form_from_before:
      'Your pages were opened again meanwhile, so nothing was sent. Check what you entered, and send it again.',
  },
}

/** How long somebody has to wait, as "40 seconds", "12 minutes" or "14 hours". */
export function waitInWords(seconds: number): string {
  if (seconds >= 7_200) return `${Math.ceil(seconds / 3_600)} hours`
  return seconds < 100 ? `${seconds} second${seconds === 1 ? '' : 's'}` : `${Math.ceil(seconds / 60)} minutes`
}
