/** Beginnings of paths. A lost write or event, somebody else's data, a state that cannot be: no machine's load makes these. */
const neverTheMachine = [
  'test/crash/',
  'test/isolation/',
  'test/privacy/',
  'test/state/',
  'test/webhooks/crash',
  'test/webhooks/outages',
  'test/webhooks/replay-crash',
]
const mostFiles = 3

/**
 * Whether files that failed (paths from the project's root) may have failed for what else the machine did, so that it is worth
 * running them again by themselves.
 */
export function isLookedAtAgain(failed: readonly string[]): boolean {
  return failed.length <= mostFiles && !failed.some((file) => neverTheMachine.some((path) => file.startsWith(path)))
}
