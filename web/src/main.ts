import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { router } from './router.svelte';
import { expectScreen } from './screens';
import { followSettings } from './settings.svelte';
import { wakeSound } from './sound';
import { read } from './texts.svelte';

followSettings();
router.start();
expectScreen(router.route.screen); // it comes while the texts are read
for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, wakeSound, { capture: true, passive: true });
void read().catch(() => read('en')).catch(() => undefined); // App offers to try again

const target = document.getElementById('app');
if (target) mount(App, { target });
