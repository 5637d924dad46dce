// The console's entry module: starts the console in the page that the server sent.
import { readDeployment } from './deployment.ts'
import { findSession } from './session.ts'
import { startShell } from './shell.ts'

const root = document.getElementById('console')
if (root === null) throw new Error('the served page has no element #console')
void findSession().then((session) => startShell(root, readDeployment(root), session))
