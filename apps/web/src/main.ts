import { App } from './page/app.ts';
import { bindPanel } from './page/panel.ts';
import { exposeState } from './page/state.ts';

const app = new App();
bindPanel(app);
exposeState(app);
app.openLink();
void app.start();

function picture(now: number): void {
    app.draw(now);
    requestAnimationFrame(picture);
}
requestAnimationFrame(picture);
