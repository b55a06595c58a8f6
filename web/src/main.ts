import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { router } from './router.svelte';
import { expectRoute } from './screens';
import { followSettings } from './settings/settings.svelte';
import { wakeSound } from './ui/sound';
import { read } from './texts/texts.svelte';

followSettings();
router.start();
expectRoute(router.route); // it comes while the texts are read
for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, wakeSound, { capture: true, passive: true });
void read()
  .catch(() => read('en'))
  .catch(() => undefined); // App offers to try again

const target = document.getElementById('app');
if (target) mount(App, { target });
