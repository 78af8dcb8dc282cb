//! Headless Chromium, driven by its `DevTools` protocol over a pair of pipes.
//!
//! The browser reads commands from descriptor 3 and writes to 4; each message ends with a zero
//! byte. A shell connects its stdin and stdout to these, so no library is needed. Errors of a page
//! fail the test at its end: exceptions, violations of the page's policy, and requests that leave
//! the machine.

use serde_json::{Value, json};
use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The timeout of every action, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time without motion after which an element is at rest.
const REST: Duration = Duration::from_millis(50);

/// The names of Chromium's program.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A process of `gdl serve` or `gdl player`, started as a user does.
pub(super) struct Server {
    process: Child,
    pub(super) address: String,
    /// The server's output, open until the drop; closing it would end the server.
    _out: BufReader<ChildStdout>,
}

impl Server {
    pub(super) fn start(command: &str, args: &[&str]) -> Self {
        let mut gdl = Command::new(env!("CARGO_BIN_EXE_gdl"));
        gdl.args([command, "--port", "0"]).args(args).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = gdl.spawn().expect("gdl starts");
        let mut out = BufReader::new(process.stdout.take().expect("its stdout"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it prints its address");
        let address = line.trim().to_owned();
        assert!(address.starts_with("http://127.0.0.1:"), "{address}");
        Self { process, address, _out: out }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A page in its own browser process. A guest's page visits the server of another page; any other
/// page starts a server.
pub(super) struct Page {
    _server: Option<Server>,
    address: String,
    browser: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    session: String,
    count: u64,
    faults: Vec<String>,
    _profile: TempDir,
}

impl Page {
    /// Opens the page of `gdl serve` with these arguments. Skips the test if there is no Chromium.
    pub(super) fn open(args: &[&str]) -> Option<Self> {
        let program = find()?;
        let server = Server::start("serve", args);
        let address = server.address.clone();
        Some(Self::browse(&program, Some(server), address))
    }

    /// Opens a page in another browser, at the address of a running server.
    pub(super) fn visit_as_guest(address: &str) -> Option<Self> {
        find().map(|program| Self::browse(&program, None, address.to_owned()))
    }

    fn browse(program: &Path, server: Option<Server>, address: String) -> Self {
        let profile = tempfile::tempdir().expect("a folder");
        let mut browser = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, "sh"])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Chromium starts");
        let commands = browser.stdin.take().expect("its stdin");
        let mut out = BufReader::new(browser.stdout.take().expect("its stdout"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            while matches!(out.read_until(0, &mut bytes), Ok(read) if read > 0) {
                bytes.pop();
                let message = serde_json::from_slice(&bytes).unwrap_or_default();
                if sender.send(message).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
        let mut page = Self {
            _server: server,
            address,
            browser,
            commands,
            messages,
            session: String::new(),
            count: 0,
            faults: Vec::new(),
            _profile: profile,
        };
        let target = page.ask("Target.createTarget", &json!({ "url": "about:blank" }))["targetId"].take();
        let attached = page.ask("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        attached["sessionId"].as_str().expect("a session").clone_into(&mut page.session);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.ask(&format!("{domain}.enable"), &json!({}));
        }
        page.resize(1200, 900, false);
        let address = page.address.clone();
        page.go(&address);
        page
    }

    /// Sends a command to the browser, and waits for its response.
    pub(super) fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.count += 1;
        let mut command = json!({ "id": self.count, "method": method, "params": parameters });
        if !self.session.is_empty() {
            command["sessionId"] = json!(self.session);
        }
        self.commands.write_all(format!("{command}\0").as_bytes()).expect("Chromium listens");
        loop {
            let mut message = self.messages.recv_timeout(PATIENCE).expect("Chromium answers");
            if message["id"] == self.count {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
            self.note(&message);
        }
    }

    /// Records the errors in a message.
    fn note(&mut self, message: &Value) {
        let parameters = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.faults.push(parameters["exceptionDetails"].to_string()),
            // The log also has responses that refuse a request, which are not errors of the page.
            "Log.entryAdded" if parameters["entry"]["source"] != "network" => {
                self.faults.push(parameters["entry"].to_string());
            }
            "Network.requestWillBeSent" => {
                let url = parameters["request"]["url"].as_str().unwrap_or_default();
                let own = self.address.split('#').next().unwrap_or_default();
                if !url.starts_with(own) && !url.starts_with("data:") && url != "about:blank" {
                    self.faults.push(format!("a request to {url}"));
                }
            }
            _ => {}
        }
    }

    /// Navigates to an address, and waits until the page is loaded.
    fn go(&mut self, address: &str) {
        self.ask("Page.navigate", &json!({ "url": address }));
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// Reloads the page.
    pub(super) fn reload(&mut self) {
        self.run("window.isOld = true");
        self.ask("Page.reload", &json!({}));
        self.wait("!window.isOld && document.readyState === 'complete'");
    }

    /// Sets the window's size and the preferred colour scheme.
    pub(super) fn resize(&mut self, width: u32, height: u32, is_dark: bool) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.ask("Emulation.setDeviceMetricsOverride", &metrics);
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.ask("Emulation.setEmulatedMedia", &features);
    }

    /// Sets the media type and the media features of the page.
    pub(super) fn emulate(&mut self, media: &str, features: &[(&str, &str)]) {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.ask("Emulation.setEmulatedMedia", &json!({ "media": media, "features": features }));
    }

    /// Returns the value of an expression in the page.
    ///
    /// # Panics
    /// Panics if the expression throws.
    pub(super) fn run(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.ask("Runtime.evaluate", &parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].take()
    }

    /// Waits until an expression is true.
    ///
    /// # Panics
    /// Panics if it is still false after the timeout.
    pub(super) fn wait(&mut self, expression: &str) {
        let end = Instant::now() + PATIENCE;
        while self.run(&format!("Boolean({expression})")) != true {
            if Instant::now() >= end {
                let shown = self.run(
                    "`${document.body.innerText}\\n${document.getElementById('notice')?.textContent ?? ''}`",
                );
                panic!(
                    "this never comes: {expression}\n{}\n{:?}",
                    shown.as_str().unwrap_or_default(),
                    self.faults
                );
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns the text of an element, once it exists.
    pub(super) fn text(&mut self, selector: &str) -> String {
        let selector = json!(selector);
        self.wait(&format!("document.querySelector({selector})"));
        let text = self.run(&format!("document.querySelector({selector}).innerText"));
        text.as_str().unwrap_or_default().trim().to_owned()
    }

    /// Returns the number of elements that match a selector.
    pub(super) fn count(&mut self, selector: &str) -> usize {
        let count = self.run(&format!("document.querySelectorAll({}).length", json!(selector)));
        count.as_u64().unwrap_or_default() as usize
    }

    /// Clicks the centre of the element that a selector finds, once it can be clicked.
    pub(super) fn click(&mut self, selector: &str) {
        self.click_on(&format!("document.querySelector({})", json!(selector)));
    }

    /// Clicks the centre of the element that an expression gives, once it can be clicked. Data from
    /// the server may move it in the meantime, so a click is repeated if its press or its release
    /// missed the element.
    ///
    /// # Panics
    /// Panics if every click misses it until the timeout.
    pub(super) fn click_on(&mut self, element: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            self.wait(&format!("({element})?.checkVisibility()"));
            self.wait(&format!("!({element}).disabled"));
            self.run(&format!(
                "(() => {{ const element = {element}; element.scrollIntoView({{ block: 'center' }}); window.isMissed = true;
                 element.addEventListener('pointerdown', () => window.isMissed = false, {{ capture: true, once: true }});
                 window.addEventListener('pointerup', ({{ clientX, clientY }}) => {{
                     window.isMissed ||= element.isConnected && !element.contains(document.elementFromPoint(clientX, clientY));
                 }}, {{ capture: true, once: true }}); }})()"
            ));
            let place = self.middle(element);
            for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
                let parameters =
                    json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
                self.ask("Input.dispatchMouseEvent", &parameters);
            }
            // After a click that leaves the page, the flag is undefined.
            if self.run("window.isMissed === true") != true {
                return;
            }
            assert!(Instant::now() < end, "no click reaches {element}");
        }
    }

    /// Returns the centre of an element, once it is at rest: data from the server moves its
    /// neighbours.
    ///
    /// # Panics
    /// Panics if it is still moving at the timeout.
    fn middle(&mut self, element: &str) -> Value {
        let end = Instant::now() + PATIENCE;
        let mut last = Value::Null;
        loop {
            let place = self.run(&format!(
                "(() => {{ const box = ({element}).getBoundingClientRect();
                 return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
            ));
            if place == last {
                return place;
            }
            assert!(Instant::now() < end, "this never comes to rest: {element}");
            last = place;
            thread::sleep(REST);
        }
    }

    /// Drags from the centre of one element to the centre of another.
    pub(super) fn drag(&mut self, from: &str, to: &str) {
        let places =
            [from, to].map(|selector| self.middle(&format!("document.querySelector({})", json!(selector))));
        let buttons =
            [("mouseMoved", 0, 0), ("mousePressed", 0, 1), ("mouseMoved", 1, 1), ("mouseReleased", 1, 0)];
        for (kind, place, buttons) in buttons {
            let [x, y] = [0, 1].map(|axis| places[place][axis].clone());
            let parameters = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 });
            self.ask("Input.dispatchMouseEvent", &parameters);
        }
    }

    /// Presses a key, such as `Tab`, `Enter`, `F8` or `ArrowRight`.
    pub(super) fn press(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            " " => " ",
            "?" => "?",
            _ => "",
        };
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            " " => 32,
            "Escape" => 27,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "F8" => 119,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let parameters = json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code, "text": text });
            self.ask("Input.dispatchKeyEvent", &parameters);
        }
    }

    /// Reloads the page with another fragment, the part of an address after `#`.
    pub(super) fn visit(&mut self, fragment: &str) {
        let own = self.address.split('#').next().unwrap_or_default().to_owned();
        self.ask("Page.navigate", &json!({ "url": "about:blank" }));
        self.go(&format!("{own}#{fragment}"));
    }

    /// Gives a file to the input element that a selector finds.
    pub(super) fn choose_file(&mut self, selector: &str, path: &Path) {
        let document = self.ask("DOM.getDocument", &json!({}));
        let query = json!({ "nodeId": document["root"]["nodeId"], "selector": selector });
        let node = self.ask("DOM.querySelector", &query);
        self.ask("DOM.setFileInputFiles", &json!({ "nodeId": node["nodeId"], "files": [path] }));
    }

    /// Inserts text at the cursor at once, as pasting does.
    pub(super) fn insert(&mut self, text: &str) {
        self.ask("Input.insertText", &json!({ "text": text }));
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if !thread::panicking() {
            // Receives the last messages.
            self.run("1");
        }
        let _ = self.browser.kill();
        let _ = self.browser.wait();
        assert!(thread::panicking() || self.faults.is_empty(), "{:#?}", self.faults);
    }
}

/// Returns the path of Chromium. Skips the test if it is not installed.
fn find() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    let found = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file());
    if found.is_none() {
        gdl_test_support::skip("there is no Chromium");
    }
    found
}
