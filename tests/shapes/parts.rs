//! The parts of rulesheets. Each adds its own fluents, moves and relations to the text of an
//! [`Author`], and registers the atoms that other parts may use.
//!
//! A part adds at most hundreds of rules.

use super::author::Author;

impl Author {
    /// Writes a random part.
    pub(super) fn write_part(&mut self) {
        match self.below(16) {
            0 | 1 => self.write_board(),
            2 | 3 => self.write_walk(),
            4 => self.write_auction(),
            5 => self.write_lamps(),
            6 => self.write_toggles(),
            7 => self.write_latches(),
            8 => self.write_wheel(),
            9 => self.write_counter(),
            10 => self.write_score(),
            11 => self.write_reach(),
            12 => self.write_tower(),
            13 => self.write_wide(),
            14 => self.write_arities(),
            _ => self.write_deal(),
        }
    }

    /// Writes a line or a grid of cells that players mark.
    fn write_board(&mut self) {
        self.note("board");
        let (cell, spot, mark) = (self.name("cell"), self.name("spot"), self.name("mark"));
        let is_grid = self.rarely(2);
        let places: Vec<String> = if is_grid {
            self.note("grid");
            let (width, height) = (self.between(2, 3), self.between(2, 3));
            (0..width * height).map(|n| format!("{} {}", 1 + n % width, 1 + n / width)).collect()
        } else {
            (1..=self.between(2, 6)).map(|n| n.to_string()).collect()
        };
        let place = if is_grid { "?x ?y" } else { "?x" };
        let is_compound = self.rarely(3);
        if is_compound {
            self.note("compound move");
        }
        let of = |place: &str| {
            if is_compound { format!("({mark} (at {place}))") } else { format!("({mark} {place})") }
        };
        for place in &places {
            self.say(format!("({spot} {place})"));
            self.say(format!("(init ({cell} {place} b))"));
        }
        let players = self.players();
        for &role in &players {
            let name = self.roles[role].clone();
            self.offer(role, &of(place), &[format!("(true ({cell} {place} b))")]);
            self.moves[role].extend(places.iter().map(|place| of(place)));
            self.say(format!("(<= (next ({cell} {place} {name})) (does {name} {}))", of(place)));
            let own = self.pick(&places);
            self.atoms.push(format!("(true ({cell} {own} {name}))"));
            let line = self.name("line");
            let body: Vec<String> =
                places.iter().take(3).map(|place| format!("(true ({cell} {place} {name}))")).collect();
            self.say(format!("(<= ({line} {name}) {})", body.join(" ")));
            self.atoms.push(format!("({line} {name})"));
            self.merits[role].push(format!("({line} {name})"));
        }
        self.say(format!("(<= (next ({cell} {place} ?v)) (true ({cell} {place} ?v)) (distinct ?v b))"));
        let keep = |place: &str| format!("(<= (next ({cell} {place} b)) (true ({cell} {place} b))");
        let names: Vec<String> = players.iter().map(|&role| self.roles[role].clone()).collect();
        match self.below(4) {
            0 => {
                self.note("frame by helper");
                self.say(format!("(<= (taken{cell} {place}) (does ?r {}))", of(place)));
                self.say(format!("{} (not (taken{cell} {place})))", keep(place)));
            }
            1 => {
                self.note("frame by distinct");
                let other = if is_grid { "?u ?v" } else { "?u" };
                let does = format!("(does {} {})", names[0], of(other));
                self.say(format!("{} {does} (distinct ?x ?u))", keep(place)));
                if is_grid {
                    self.say(format!("{} {does} (distinct ?y ?v))", keep(place)));
                }
            }
            2 => {
                self.note("frame by denial");
                for place in &places {
                    let denials: Vec<String> =
                        names.iter().map(|name| format!("(not (does {name} {}))", of(place))).collect();
                    self.say(format!("{} {})", keep(place), denials.join(" ")));
                }
            }
            _ => {
                self.note("frame by most moves");
                for place in &places {
                    let others = places.iter().filter(|other| *other != place);
                    let does: Vec<String> =
                        others.map(|other| format!("(does {} {})", names[0], of(other))).collect();
                    if !does.is_empty() {
                        self.say(format!("{} (or {}))", keep(place), does.join(" ")));
                    }
                }
            }
        }
        let open = self.name("open");
        self.say(format!("(<= {open} (true ({cell} {place} b)))"));
        if self.rarely(2) {
            self.say(format!("(<= terminal (not {open}))"));
        }
        self.atoms.push(open);
    }

    /// Writes the edges of a graph with `nodes` nodes, and returns the relation's name.
    fn write_graph(&mut self, nodes: usize) -> String {
        let edge = self.name("edge");
        let mut edges: Vec<[usize; 2]> = match self.below(3) {
            0 => (0..nodes).map(|n| [n, (n + 1) % nodes]).collect(),
            1 => (1..nodes).flat_map(|n| [[n - 1, n], [n, n - 1]]).collect(),
            _ => (0..nodes + 2).map(|_| [self.below(nodes), self.below(nodes)]).collect(),
        };
        edges.sort_unstable();
        edges.dedup();
        for [from, to] in edges {
            self.say(format!("({edge} {from} {to})"));
        }
        edge
    }

    /// Writes players that walk on a graph, and sometimes pawns that they capture there.
    fn write_walk(&mut self) {
        self.note("walk");
        let nodes = self.between(3, 8);
        let edge = self.write_graph(nodes);
        let (at, go) = (self.name("at"), self.name("go"));
        let prey = self.rarely(2).then(|| self.name("pawn"));
        let players = self.players();
        let walkers = if players.len() > 3 { &players[..1] } else { &players[..] };
        for &role in walkers {
            let name = self.roles[role].clone();
            let start = self.below(nodes);
            self.say(format!("(init ({at} {name} {start}))"));
            let body = [format!("(true ({at} {name} ?x))"), format!("({edge} ?x ?y)")];
            self.offer(role, &format!("({go} ?y)"), &body);
            if !self.rarely(8) {
                self.offer(role, "stay", &[]);
            }
            self.moves[role].extend((0..nodes).map(|node| format!("({go} {node})")));
            self.say(format!("(<= (next ({at} {name} ?y)) (does {name} ({go} ?y)))"));
            let moved = self.name("moved");
            self.say(format!("(<= {moved} (does {name} ({go} ?y)))"));
            self.say(format!("(<= (next ({at} {name} ?x)) (true ({at} {name} ?x)) (not {moved}))"));
            let node = self.below(nodes);
            self.atoms.push(format!("(true ({at} {name} {node}))"));
            if let Some(pawn) = &prey {
                self.say(format!("(<= (hit{pawn} ?y) (does {name} ({go} ?y)))"));
            }
        }
        if let Some(pawn) = prey {
            self.note("hunt");
            for node in 0..nodes {
                if !self.rarely(3) {
                    self.say(format!("(init ({pawn} {node}))"));
                }
            }
            self.say(format!("(<= (next ({pawn} ?x)) (true ({pawn} ?x)) (not (hit{pawn} ?x)))"));
            let left = self.name("left");
            self.say(format!("(<= {left} (true ({pawn} ?x)))"));
            self.merits[walkers[0]].push(format!("(not {left})"));
            self.atoms.push(left);
        }
    }

    /// Writes an auction with simultaneous bids, where the highest bid wins.
    fn write_auction(&mut self) {
        self.note("auction");
        let (bid, more, price) = (self.name("bid"), self.name("more"), self.name("price"));
        let most = match self.below(12) {
            _ if self.roles.len() > 4 => 2,
            0..8 => self.between(2, 6),
            8..11 => self.between(7, 14),
            _ => self.between(15, 30),
        };
        self.count_to(most);
        self.note("static closure");
        (0..=most).for_each(|number| self.say(format!("({price} {number})")));
        self.say(format!("(<= ({more} ?x ?y) (succ ?y ?x))"));
        self.say(format!("(<= ({more} ?x ?z) (succ ?y ?x) ({more} ?y ?z))"));
        self.say(format!("(<= (beaten{bid} ?n) ({price} ?n) (does ?s ({bid} ?m)) ({more} ?m ?n))"));
        for role in self.players() {
            let name = self.roles[role].clone();
            self.offer(role, &format!("({bid} ?n)"), &[format!("({price} ?n)")]);
            self.moves[role].extend((0..=most).map(|number| format!("({bid} {number})")));
            let won = format!("(best{bid} {name})");
            self.say(format!("(<= (next {won}) (does {name} ({bid} ?n)) (not (beaten{bid} ?n)))"));
            if self.rarely(2) {
                self.say(format!("(<= (next {won}) (true {won}))"));
            }
            self.atoms.push(format!("(true {won})"));
            self.merits[role].push(format!("(true {won})"));
        }
    }

    /// Writes lamps that stay on and have owners. A role with enough lamps has a higher goal.
    fn write_lamps(&mut self) {
        self.note("lamps");
        let (own, lamp, count) = (self.name("own"), self.name("lamp"), self.name("count"));
        let lamps = self.between(2, 5);
        let light = format!("light{own}");
        self.count_to(lamps);
        (1..=lamps).for_each(|number| self.say(format!("({lamp} {number})")));
        self.say(format!("(<= (on{own} ?l) (true ({own} ?r ?l)))"));
        self.say(format!("(<= (next ({own} ?r ?l)) (does ?r ({light} ?l)))"));
        self.say(format!("(<= (next ({own} ?r ?l)) (true ({own} ?r ?l)))"));
        self.say(format!("(<= ({count} ?r 0 0) (role ?r))"));
        for (rest, holds) in [("?n", "(not (true {}))"), ("?m", "(true {})")] {
            let owned = format!("({own} ?r ?l)");
            let step = if rest == "?m" { "(succ ?m ?n)" } else { "" };
            let holds = holds.replace("{}", &owned);
            self.say(format!(
                "(<= ({count} ?r ?l ?n) (succ ?k ?l) ({lamp} ?l) ({count} ?r ?k {rest}) {step} {holds})"
            ));
        }
        let enough = self.between(1, lamps);
        self.note("goals by counting");
        for role in self.players() {
            let name = self.roles[role].clone();
            self.offer(
                role,
                &format!("({light} ?l)"),
                &[format!("({lamp} ?l)"), format!("(not (on{own} ?l))")],
            );
            self.moves[role].extend((1..=lamps).map(|number| format!("({light} {number})")));
            let has = format!("({count} {name} {lamps} {enough})");
            self.merits[role].push(has.clone());
            self.atoms.extend([has, format!("(on{own} {enough})")]);
        }
    }

    /// Writes lamps that a move toggles together with their neighbours.
    fn write_toggles(&mut self) {
        self.note("toggles");
        let (on, press) = (self.name("on"), self.name("press"));
        let nodes = self.between(3, 6);
        let edge = self.write_graph(nodes);
        let role = self.pick(&self.players());
        let name = self.roles[role].clone();
        (0..nodes).for_each(|node| self.say(format!("(node{on} {node})")));
        self.offer(role, &format!("({press} ?x)"), &[format!("(node{on} ?x)")]);
        self.moves[role].extend((0..nodes).map(|node| format!("({press} {node})")));
        self.say(format!("(<= (turns{on} ?x) (does {name} ({press} ?x)))"));
        self.say(format!("(<= (turns{on} ?y) (does {name} ({press} ?x)) ({edge} ?x ?y))"));
        self.say(format!("(<= (next ({on} ?x)) (true ({on} ?x)) (not (turns{on} ?x)))"));
        self.say(format!("(<= (next ({on} ?x)) (turns{on} ?x) (not (true ({on} ?x))))"));
        for node in 0..nodes {
            if self.rarely(2) {
                self.say(format!("(init ({on} {node}))"));
            }
            self.atoms.push(format!("(true ({on} {node}))"));
        }
        let lit = self.name("lit");
        self.say(format!("(<= {lit} (true ({on} ?x)))"));
        self.merits[role].push(format!("(not {lit})"));
    }

    /// Writes fluents that keep a value once they have it.
    fn write_latches(&mut self) {
        self.note("latches");
        let latch = self.name("latch");
        for number in 0..self.between(1, 5) {
            let fluent = format!("({latch} {number})");
            let trigger = self.formula(1, true);
            if self.rarely(2) {
                self.say(format!("(<= (next {fluent}) {trigger})"));
                self.say(format!("(<= (next {fluent}) (true {fluent}))"));
            } else {
                let gone = self.name("gone");
                self.say(format!("(<= {gone} {trigger})"));
                self.say(format!("(init {fluent})"));
                self.say(format!("(<= (next {fluent}) (true {fluent}) (not {gone}))"));
            }
            self.atoms.push(format!("(true {fluent})"));
        }
        let role = self.pick(&self.players());
        self.merits[role].push(format!("(true ({latch} 0))"));
    }

    /// Writes two to four fluents that hold in turn, in a cycle, and an event at one of them.
    fn write_wheel(&mut self) {
        self.note("wheel");
        let (wheel, then) = (self.name("wheel"), self.name("then"));
        let phases = self.between(2, 4);
        self.say(format!("(init ({wheel} 0))"));
        for phase in 0..phases {
            self.say(format!("({then} {phase} {})", (phase + 1) % phases));
            self.atoms.push(format!("(true ({wheel} {phase}))"));
        }
        self.say(format!("(<= (next ({wheel} ?y)) (true ({wheel} ?x)) ({then} ?x ?y))"));
        let fluent = self.name("event");
        let formula = self.formula(2, true);
        self.say(format!("(<= (next {fluent}) (true ({wheel} {})) {formula})", phases - 1));
        self.write_frame(&fluent);
        self.atoms.push(format!("(true {fluent})"));
    }

    /// Writes a binary counter with carry. A formula decides whether a step increments it.
    fn write_counter(&mut self) {
        self.note("binary counter");
        let (digit, carry) = (self.name("digit"), self.name("carries"));
        let digits = self.between(2, 6);
        self.count_to(digits);
        let tick = self.formula(1, true);
        self.say(format!("(<= ({carry} 0) {tick})"));
        self.say(format!("(<= ({carry} ?y) (succ ?x ?y) ({carry} ?x) (true ({digit} ?x)))"));
        (0..digits).for_each(|number| self.say(format!("(place{digit} {number})")));
        self.say(format!(
            "(<= (next ({digit} ?x)) (place{digit} ?x) ({carry} ?x) (not (true ({digit} ?x))))"
        ));
        self.say(format!("(<= (next ({digit} ?x)) (true ({digit} ?x)) (not ({carry} ?x)))"));
        self.atoms.extend((0..digits).map(|number| format!("(true ({digit} {number}))")));
    }

    /// Writes scores that moves raise, and their sum.
    fn write_score(&mut self) {
        self.note("score");
        self.note("goals by counting");
        let (score, gain) = (self.name("score"), self.name("gain"));
        let most = self.between(2, 6);
        self.count_to(2 * most);
        let mut players = self.players();
        players.truncate(3);
        for &role in &players {
            let name = self.roles[role].clone();
            self.say(format!("(init ({score} {name} 0))"));
            self.offer(role, gain.as_str(), &[]);
            let lucky = self.formula(1, true);
            self.say(format!("(<= (up{score} {name}) (does {name} {gain}) {lucky})"));
            self.atoms.push(format!("(true ({score} {name} {}))", most / 2));
            self.merits[role].push(format!("(true ({score} {name} {most}))"));
        }
        (0..most).for_each(|number| self.say(format!("(under{score} {number})")));
        let now = format!("(true ({score} ?r ?n))");
        self.say(format!("(<= (next ({score} ?r ?m)) {now} (up{score} ?r) (under{score} ?n) (succ ?n ?m))"));
        self.say(format!("(<= (next ({score} ?r ?n)) {now} (not (up{score} ?r)))"));
        self.say(format!("(<= (next ({score} ?r {most})) (true ({score} ?r {most})))"));
        if players.len() == 2 {
            self.note("sum");
            let plus = self.name("plus");
            self.say(format!("({plus} 0 0 0)"));
            self.say(format!("(<= ({plus} ?x ?y ?z) (succ ?w ?y) (succ ?v ?z) ({plus} ?x ?w ?v))"));
            self.say(format!("(<= ({plus} ?x ?y ?z) (succ ?w ?x) (succ ?v ?z) ({plus} ?w ?y ?v))"));
            let [one, two] = [0, 1].map(|place| self.roles[players[place]].clone());
            self.say(format!(
                "(<= (all{score} ?z) (true ({score} {one} ?x)) (true ({score} {two} ?y)) ({plus} ?x ?y ?z))"
            ));
            self.atoms.push(format!("(all{score} {most})"));
        }
    }

    /// Writes links that moves make and break, and the reachability along the links.
    fn write_reach(&mut self) {
        self.note("reach");
        let (link, reach, join) = (self.name("link"), self.name("reach"), self.name("join"));
        let nodes = self.between(3, 5);
        let edge = self.write_graph(nodes);
        let role = self.pick(&self.players());
        let name = self.roles[role].clone();
        self.offer(role, &format!("({join} ?x ?y)"), &[format!("({edge} ?x ?y)")]);
        self.say(format!("(<= (next ({link} ?x ?y)) (does ?r ({join} ?x ?y)))"));
        if self.rarely(2) {
            self.say(format!("(<= (next ({link} ?x ?y)) (true ({link} ?x ?y)))"));
        } else {
            self.say(format!(
                "(<= (next ({link} ?x ?y)) (true ({link} ?x ?y)) (not (does {name} ({join} ?y ?x))))"
            ));
        }
        if self.rarely(2) {
            self.say(format!("(<= ({reach} ?x ?y) (true ({link} ?x ?y)))"));
            self.say(format!("(<= ({reach} ?x ?z) ({reach} ?x ?y) ({reach} ?y ?z))"));
        } else {
            self.say(format!("({reach} 0 0)"));
            self.say(format!("(<= ({reach} 0 ?y) ({reach} 0 ?x) (true ({link} ?x ?y)))"));
            self.say(format!("(<= ({reach} 0 ?y) ({reach} 0 ?x) (true ({link} ?y ?x)))"));
        }
        let there = format!("({reach} 0 {})", nodes - 1);
        self.atoms.push(there.clone());
        self.merits[role].push(there);
        if self.rarely(2) {
            self.note("static closure");
            let path = self.name("path");
            self.say(format!("(<= ({path} ?x ?y) ({edge} ?x ?y))"));
            self.say(format!("(<= ({path} ?x ?z) ({edge} ?x ?y) ({path} ?y ?z))"));
            self.say(format!(
                "(<= (lost{link} ?x) ({path} ?x ?y) (not ({path} ?y ?x)) (true ({link} ?x ?y)))"
            ));
            self.atoms.push(format!("(lost{link} 0)"));
        }
    }

    /// Writes a fluent with a nested term. The moves push and pop increase and decrease its depth,
    /// up to a maximum of at most 6.
    fn write_tower(&mut self) {
        self.note("tower");
        let (tower, fits) = (self.name("tower"), self.name("fits"));
        let role = self.pick(&self.players());
        let name = self.roles[role].clone();
        let mut term = "z".to_owned();
        self.say(format!("(init ({tower} z))"));
        for _ in 0..self.between(1, 6) {
            self.say(format!("({fits} {term})"));
            term = format!("(s {term})");
        }
        self.atoms.push(format!("(true ({tower} {term}))"));
        let (push, pop) = (self.name("push"), self.name("pop"));
        self.offer(role, &push, &[format!("(true ({tower} ?x))"), format!("({fits} ?x)")]);
        self.offer(role, &pop, &[format!("(true ({tower} (s ?x)))")]);
        self.say(format!(
            "(<= (next ({tower} (s ?x))) (true ({tower} ?x)) ({fits} ?x) (does {name} {push}))"
        ));
        self.say(format!("(<= (next ({tower} ?x)) (true ({tower} (s ?x))) (does {name} {pop}))"));
        self.say(format!(
            "(<= (next ({tower} ?x)) (true ({tower} ?x)) (not (does {name} {push})) (not (does {name} {pop})))"
        ));
        self.merits[role].push(format!("(true ({tower} {term}))"));
    }

    /// Writes fluents with hundreds of arguments, more than a rule may have variables.
    fn write_huge(&mut self) {
        self.note("huge arity");
        let row = self.name("row");
        let arity = self.between(200, 1_600);
        let mut words: Vec<&str> = (0..arity).map(|_| self.pick(&["a", "b"])).collect();
        let mut fluents = Vec::new();
        for _ in 0..self.between(2, 4) {
            let place = self.below(arity);
            words[place] = if words[place] == "a" { "b" } else { "a" };
            fluents.push(format!("({row} {})", words.join(" ")));
        }
        self.say(format!("(init {})", fluents[0]));
        for (place, fluent) in fluents.iter().enumerate() {
            let body = self.does().filter(|_| place % 2 == 1).unwrap_or_default();
            let before = &fluents[(place + fluents.len() - 1) % fluents.len()];
            self.say(format!("(<= (next {fluent}) (true {before}) {body})"));
        }
        self.atoms.push(format!("(true {})", fluents[1]));
    }

    /// Writes a fluent and a relation with many arguments.
    fn write_wide(&mut self) {
        if self.rarely(8) {
            return self.write_huge();
        }
        self.note("wide arity");
        let (row, ways) = (self.name("row"), self.name("ways"));
        let arity = match self.below(8) {
            0..5 => self.between(4, 9),
            5 | 6 => self.between(10, 18),
            _ => self.between(19, 30),
        };
        let start: Vec<&str> = (0..arity).map(|_| self.pick(&["a", "b"])).collect();
        let variables: Vec<String> = (0..arity).map(|n| format!("?x{n}")).collect();
        let mut turned = variables.clone();
        turned.rotate_left(1);
        let (before, after) = (variables.join(" "), turned.join(" "));
        self.say(format!("(init ({row} {}))", start.join(" ")));
        if let (true, Some(does)) = (self.rarely(2), self.does()) {
            self.say(format!("(<= (next ({row} {after})) (true ({row} {before})) {does})"));
            self.say(format!("(<= (next ({row} {before})) (true ({row} {before})) (not {does}))"));
        } else {
            self.say(format!("(<= (next ({row} {after})) (true ({row} {before})))"));
        }
        let mut other = start.clone();
        other.rotate_left(1);
        self.say(format!("({ways} {})", start.join(" ")));
        self.say(format!("(<= ends{row} (true ({row} {before})) ({ways} {before}))"));
        self.atoms.extend([format!("ends{row}"), format!("(true ({row} {}))", other.join(" "))]);
    }

    /// Writes names with several arities, and constants that look alike.
    fn write_arities(&mut self) {
        self.note("two arities");
        let name = self.name("n");
        let does = self.does();
        let fluents =
            [name.clone(), format!("({name} a)"), format!("({name} a 01)"), format!("({name} a 1)")];
        for fluent in &fluents {
            if self.rarely(2) {
                self.say(format!("(init {fluent})"));
            }
            let other = self.pick(&fluents);
            let body = does.clone().filter(|_| self.rarely(2)).unwrap_or_else(|| format!("(true {other})"));
            self.say(format!("(<= (next {fluent}) {body})"));
            self.atoms.push(format!("(true {fluent})"));
        }
        self.say(format!("({name} b)"));
        self.say(format!("(<= ({name} ?x ?x ?x) (true ({name} ?x)))"));
        self.say(format!("(<= ({name} ?x ?y) ({name} ?x) (true ({name} ?y)))"));
        self.atoms.extend([format!("({name} a a a)"), format!("({name} b a)")]);
    }

    /// Writes cards that chance deals or a player draws.
    fn write_deal(&mut self) {
        self.note("deal");
        let (card, hand, deal) = (self.name("card"), self.name("hand"), self.name("deal"));
        let cards = self.between(2, 6);
        (0..cards).for_each(|number| self.say(format!("({card} {number})")));
        let dealer = self.chance.unwrap_or(0);
        let dealer_name = self.roles[dealer].clone();
        self.offer(
            dealer,
            &format!("({deal} ?c)"),
            &[format!("({card} ?c)"), format!("(not (dealt{hand} ?c))")],
        );
        self.say(format!("(<= (dealt{hand} ?c) (true ({hand} ?r ?c)))"));
        let role = self.pick(&self.players());
        let name = self.roles[role].clone();
        self.say(format!("(<= (next ({hand} {name} ?c)) (does {dealer_name} ({deal} ?c)))"));
        self.say(format!("(<= (next ({hand} ?r ?c)) (true ({hand} ?r ?c)))"));
        self.moves[dealer].extend((0..cards).map(|number| format!("({deal} {number})")));
        self.atoms.push(format!("(true ({hand} {name} 0))"));
        self.atoms.push(format!("(dealt{hand} 1)"));
        self.merits[role].push(format!("(true ({hand} {name} {}))", cards - 1));
    }
}
