const switchKey = 'carte.console.sound';
/** How often it rings. */
const ringMs = 8000;
/** Tabs of the store get an event at almost the same time, and one of them rings. */
const sameEventMs = 1000;

/** Two rising tones, in Hz, and their start in seconds. */
const tones = [
  { frequency: 660, at: 0 },
  { frequency: 880, at: 0.18 },
];

export interface AlarmOptions {
  readonly storeId: string;
  /** Whether there is an order that no one has accepted. */
  readonly isDue: () => boolean;
  /** Whether the view shows new orders by itself. */
  readonly isShown: () => boolean;
  /** Opens the orders, from a notification. */
  readonly open: () => void;
  readonly update: () => void;
}

/**
 * Reports new orders by a sound, which is repeated until someone has accepted them all, and by notifications of the system. Browsers allow the
 * sound only after the user has touched the page, and notifications when the user has allowed them; the switch of the sound is remembered.
 */
export function createAlarm({ storeId, isDue, isShown, open, update }: AlarmOptions) {
  const rungKey = `carte.console.rung.${storeId}`;
  let isOn = localStorage.getItem(switchKey) !== 'off';
  let audio: AudioContext | undefined;
  let notification: Notification | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const allow = () => {
    audio ??= new AudioContext();
    audio.resume().then(() => {
      check();
      update();
    });
  };
  // Not `pointerdown`: what is rendered then could move the target of the tap away.
  const gestures = ['click', 'keydown'] as const;
  for (const gesture of gestures) addEventListener(gesture, allow, { once: true });

  /** Rings, unless a tab of the store has done so just now. */
  function ring(pauseMs: number): void {
    if (!isOn || audio?.state !== 'running' || Date.now() - Number(localStorage.getItem(rungKey)) < pauseMs) return;
    localStorage.setItem(rungKey, String(Date.now()));
    for (const { frequency, at } of tones) play(audio, frequency, audio.currentTime + at);
  }

  /** Rings as long as there is a reason, and no longer. */
  function check(): void {
    if (isDue()) {
      timer ??= setInterval(() => ring(ringMs - sameEventMs), ringMs);
      return;
    }
    clearInterval(timer);
    timer = undefined;
    notification?.close();
  }

  return {
    isOn: () => isOn,
    /** Whether the user has to touch the page before it can ring. */
    isMuted: () => isOn && audio?.state !== 'running',
    toggle(): void {
      isOn = !isOn;
      localStorage.setItem(switchKey, isOn ? 'on' : 'off');
      ring(0);
    },
    /** Whether the user can still be asked to allow notifications; browsers have them over HTTPS only. */
    canAsk: () => 'Notification' in window && isSecureContext && Notification.permission === 'default',
    async ask(): Promise<void> {
      await Notification.requestPermission();
      update();
    },
    check,
    /** Reports orders that have just arrived. */
    report(text: string): void {
      ring(sameEventMs);
      if (!isShown() || document.hidden) notification = notify(text, storeId, open) ?? notification;
    },
    close(): void {
      for (const gesture of gestures) removeEventListener(gesture, allow);
      clearInterval(timer);
      notification?.close();
      audio?.close();
    },
  };
}

function notify(text: string, storeId: string, open: () => void): Notification | undefined {
  if (!('Notification' in window) || Notification.permission !== 'granted') return undefined;
  try {
    // Tabs of a store replace each other's.
    const shown = new Notification(text, { tag: storeId, icon: 'web/icon.svg' });
    shown.onclick = () => {
      focus();
      open();
    };
    return shown;
  } catch {
    // Chrome on Android has notifications of service workers only.
    return undefined;
  }
}

/** Fades in and out, since a tone that starts at once clicks. */
function play(audio: AudioContext, frequency: number, start: number): void {
  const oscillator = new OscillatorNode(audio, { frequency, type: 'sine' });
  const volume = new GainNode(audio, { gain: 0 });
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(0.4, start + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.5);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + 0.5);
}
