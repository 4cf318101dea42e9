// Sees to it that the tests have a browser. Where there is none and the machine is one's own to furnish, Debian's is installed: about
// 100 MB and a minute. Fails where there is none in the end; the tests then skip what needs one, and say so.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const LONGEST = 180_000
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** `none`, or any other place where nothing is, says that no browser is wanted. */
const wanted = process.env.FACTWIRE_CHROMIUM
const present = () => (wanted ? [wanted] : PLACES).find((place) => existsSync(place))

const apt = (...args) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: LONGEST }).status === 0
}
const install = () => apt('install', '-y', '--no-install-recommends', 'chromium')

const mine = process.getuid?.() === 0 && !wanted
if (!present() && mine && !install() && apt('update')) install()
const place = present()
console.log(place ?? (mine ? 'there is none, and none could be installed' : 'there is none'))
process.exitCode = place ? 0 : 1
