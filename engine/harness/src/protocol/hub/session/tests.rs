use super::*;
use crate::protocol::hub::Params;

/// A session without threads, and where its jobs go.
fn session() -> (Session<Vec<u8>, Params>, Receiver<SearchJob<Params>>) {
    let (jobs, receiver) = unbounded();
    let session = Session::new(Vec::new(), Log::none(), jobs, Params::default());
    (Session { applied: Some(Params::default()), ..session }, receiver)
}

fn line(text: &str) -> ClientLine {
    ClientLine::read(Input::Line(text.to_owned()))
}

#[test]
fn a_search_that_fails_twice_ends_the_session_without_a_move() {
    let (mut session, jobs) = session();
    session.receive(line("go think"));
    assert!(session.run_queue().unwrap().is_continue());
    assert!(matches!(jobs.try_recv(), Ok(SearchJob::Search { .. })));
    session.handle(Report::Failed("first".to_owned())).unwrap();
    assert!(session.output.is_empty(), "no error before done");
    let error = session.handle(Report::Finished(Box::new(Err("second".to_owned()))));
    assert_eq!(error.unwrap_err().to_string(), "search failed twice: second");
    let said = String::from_utf8(session.output.clone()).unwrap();
    assert_eq!(said, "error message=\"search failed twice: second\"\n");
}

/// The engine takes its time, and the client has sent everything at once.
#[test]
fn what_came_before_the_end_of_the_input_is_answered() {
    for commands in [&["init", "ping", "quit"][..], &["init", "ping"]] {
        let (mut session, jobs) = session();
        let (reports, received) = unbounded();
        let (lines, incoming) = unbounded();
        for text in commands {
            lines.send(line(text)).unwrap();
        }
        drop(lines);
        let slow = thread::Builder::new().spawn(move || {
            assert!(matches!(jobs.recv(), Ok(SearchJob::Configure(_))));
            thread::sleep(Duration::from_millis(200));
            reports.send(Report::Configured(Ok(()))).unwrap();
            reports
        });
        session.event_loop(incoming, &received).unwrap();
        assert_eq!(session.output, b"ready\npong\n", "{commands:?}");
        slow.unwrap().join().unwrap();
    }
}

/// Nobody waits for a search when the input ends without `quit`.
#[test]
fn the_end_of_the_input_gives_a_search_up() {
    let (mut session, jobs) = session();
    let (_reports, received) = unbounded();
    let (lines, incoming) = unbounded();
    for text in ["level infinite", "go analyze", "ping"] {
        lines.send(line(text)).unwrap();
    }
    drop(lines);
    session.run(incoming, &received).unwrap();
    assert_eq!(session.output, b"pong\n");
    let Ok(SearchJob::Search { control, .. }) = jobs.try_recv() else { panic!("no search") };
    assert!(control.is_stopped());
}

#[test]
fn a_client_of_chess_learns_what_is_spoken() {
    let (mut session, _jobs) = session();
    session.receive(line("uci"));
    assert!(session.run_queue().unwrap().is_continue());
    let said = String::from_utf8(session.output).unwrap();
    assert_eq!(said.matches('\n').count(), 1, "{said}");
    assert!(said.starts_with("error message=\"this program speaks the Hub protocol"), "{said}");
}
