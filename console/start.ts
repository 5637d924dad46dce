// The console's first module: starts it in the page the server sent.
import { readDeployment } from './deployment.ts'
import { startShell } from './shell.ts'

const root = document.getElementById('console')
if (root === null) throw new Error('the served page has no element #console')
startShell(root, readDeployment(root))
